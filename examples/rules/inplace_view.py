"""The shape of an argument is changed in place."""

import torch


def before(x):
    y = torch.sin(x)
    x.unsqueeze_(0)
    return x + y


def calls():
    return [torch.ones(3)]


def view(x):
    y = torch.sin(x)
    return x.unsqueeze(0) + y


FIXES = {
    "view": {"target": view},
}
