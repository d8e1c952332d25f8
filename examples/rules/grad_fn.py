"""A function asks whether a tensor was computed, by its `grad_fn`."""

import torch


def before(x):
    y = torch.sin(x)
    return y + 1 if y.grad_fn is not None else y


def calls():
    return [torch.ones(3, requires_grad=True)]


def requires_grad(x):
    y = torch.sin(x)
    return y + 1 if y.requires_grad else y


FIXES = {
    "requires_grad": {"target": requires_grad},
}
