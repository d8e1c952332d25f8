"""A Parameter in one call, a plain tensor in another."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(3), torch.nn.Parameter(torch.ones(3)), torch.ones(3)]


def detached():
    return [x.detach() for x in calls()]


FIXES = {
    "detach": {"calls": detached},
}
