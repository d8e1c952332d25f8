"""A module's rate follows a schedule."""

import torch

from dynprobe import Call


class Net(torch.nn.Module):
    rate = 0.0

    def forward(self, x):
        return x * self.rate


before = Net()


def at(rate):
    def set_rate():
        before.rate = rate
        TENSOR.rate = torch.tensor(rate)

    return set_rate


def calls():
    return [Call((torch.ones(3),), before=at(rate)) for rate in (0.5, 0.25, 0.125)]


TENSOR = Net()
TENSOR.rate = torch.tensor(0.0)

FIXES = {
    "dynamic": {"dynamic": True},
    "tensor": {"target": TENSOR},
}
