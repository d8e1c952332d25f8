"""A torch dispatch mode is active: nothing under it is captured."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from dynprobe import Call


class Passes(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def before(x):
    return torch.sin(x) + 1


def calls():
    return [Call((torch.ones(3),), around=Passes)]


FIXES = {}
