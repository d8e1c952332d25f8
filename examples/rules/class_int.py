"""A step that is kept on a module's class and read off the instance."""

import torch

from dynprobe import Call


class Net(torch.nn.Module):
    step = 1

    def forward(self, x):
        return x * self.step


before = Net()


def advance():
    Net.step += 1
    Counted.step.add_(1)


def start():
    Net.step = 1
    Counted.step.fill_(1)


def calls():
    x = torch.ones(3)
    return [Call((x,), before=step) for step in (start, advance, advance, advance)]


class Counted(torch.nn.Module):
    step = torch.tensor(1)

    def forward(self, x):
        return x * self.step


FIXES = {
    "tensor": {"target": Counted()},
}
