"""A Python loop as often as an argument says."""

import torch


def before(x, steps):
    for i in range(steps):
        x = x + i
    return x


def summed(x, steps):
    return x + torch.arange(steps).sum()


def calls():
    return [((torch.ones(3), steps), {}) for steps in (2, 3, 4)]


OPTIONS = {"dynamic": True}
FIXES = {
    "tensor_op": {"target": summed},
}
