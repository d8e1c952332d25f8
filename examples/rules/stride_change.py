"""A transposed matrix among others."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(3, 4), torch.ones(4, 3).t(), torch.ones(3, 8)[:, ::2]]


def contiguous():
    return [x.contiguous() for x in calls()]


FIXES = {
    "contiguous": {"calls": contiguous},
}
