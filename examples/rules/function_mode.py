"""A torch function mode is active around one of the calls."""

import torch
from torch.overrides import TorchFunctionMode

from dynprobe import Call


class Passes(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def before(x):
    return torch.sin(x) + 1


def calls():
    x = torch.ones(3)
    return [Call((x,)), Call((x,), around=Passes), Call((x,))]


def always():
    return [Call((torch.ones(3),), around=Passes)] * 3


def inside(x):
    with Passes():
        return torch.sin(x) + 1


def without():
    return [torch.ones(3)] * 3


FIXES = {
    "always": {"calls": always},
    "inside": {"target": inside, "calls": without},
}
