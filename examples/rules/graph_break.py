"""Lists of tensors are compared: no rule knows more about it."""

import torch


def before(x):
    y = torch.sin(x)
    return y + ([y.sum()] == [y.sum()])


def calls():
    return [torch.ones(3)]


FIXES = {}
