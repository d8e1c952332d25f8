"""`out=` is given a tensor that must grow."""

import torch


def before(x):
    out = torch.empty(0)
    torch.sin(x, out=out)
    return out + 1


def calls():
    return [torch.ones(3)]


def sized(x):
    out = torch.empty_like(x)
    torch.sin(x, out=out)
    return out + 1


def result(x):
    return torch.sin(x) + 1


FIXES = {
    "sized": {"target": sized},
    "result": {"target": result},
}
