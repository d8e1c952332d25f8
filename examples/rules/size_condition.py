"""Long sequences take another way than short ones."""

import torch


def before(x):
    if x.shape[0] > 8:
        return x * 2
    return x + 1


def both(x):
    return torch.cond(x.shape[0] > 8, lambda x: x * 2, lambda x: x + 1, (x,))


def calls():
    return [torch.ones(n) for n in (4, 9, 5, 10)]


OPTIONS = {"dynamic": True}
FIXES = {
    "cond": {"target": both},
}
