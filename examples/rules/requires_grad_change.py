"""Inputs that require gradients in one call of two."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(3), torch.ones(3, requires_grad=True), torch.ones(3)]


def detached():
    return [x.detach() for x in calls()]


def always():
    return [x.requires_grad_() for x in calls()]


FIXES = {
    "detach": {"calls": detached},
    "always": {"calls": always},
}
