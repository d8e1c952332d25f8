"""`.data` of a tensor that was made here is set."""

import torch


def before(x):
    y = torch.sin(x)
    y.data = y.data * 2
    return y + 1


def calls():
    return [torch.ones(3)]


def rebound(x):
    y = torch.sin(x)
    y = y * 2
    return y + 1


def copied(x):
    y = torch.sin(x)
    y.copy_(y * 2)
    return y + 1


FIXES = {
    "rebind": {"target": rebound},
    "copy": {"target": copied},
}
