"""A step that a training loop sets on a module decides what is done."""

import torch

from dynprobe import Call


class Warmup(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.warm = False

    def set_step(self, step):
        self.step = step
        self.warm = step >= 3


class Before(Warmup):
    def forward(self, x):
        if self.step < 3:
            return x * 0.1
        return x * 0.9


class Outside(Warmup):
    def forward(self, x):
        return x * 0.9 if self.warm else x * 0.1


before, OUTSIDE = Before(), Outside()


def at(step):
    def set_step():
        before.set_step(step)
        OUTSIDE.set_step(step)

    return set_step


def calls():
    return [Call((torch.ones(3),), before=at(step)) for step in range(6)]


def unspec():
    torch._dynamo.config.allow_unspec_int_on_nn_module = True


FIXES = {
    "unspec": {"setup": unspec, "dynamic": True, "recompiles": 1},
    "outside": {"target": OUTSIDE, "recompiles": 1},
}
