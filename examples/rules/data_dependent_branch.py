"""A branch on the values of a tensor."""

import torch


def before(x):
    y = torch.sin(x)
    if y.sum() > 0:
        return y + 1
    return y - 1


def calls():
    return [torch.ones(3), -torch.ones(3)]


def where(x):
    y = torch.sin(x)
    return torch.where(y.sum() > 0, y + 1, y - 1)


def cond(x):
    y = torch.sin(x)
    return torch.cond(y.sum() > 0, lambda y: y + 1, lambda y: y - 1, (y,))


FIXES = {
    "where": {"target": where},
    "cond": {"target": cond},
}
