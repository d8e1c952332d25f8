"""Functions that answer with a Python value about a tensor's values."""

import math

import torch


def before(x):
    length = math.sqrt((x * x).sum())
    return x / length + torch.allclose(x, torch.ones(3))


def calls():
    return [torch.ones(3)]


def tensor(x):
    length = torch.sqrt((x * x).sum())
    return x / length + torch.isclose(x, torch.ones(3)).all()


FIXES = {
    "tensor": {"target": tensor},
}
