"""A tensor is filled with random integers in place."""

import torch


def before(x):
    return torch.sin(x) + torch.empty(3, dtype=torch.int64).random_(4)


def calls():
    return [torch.ones(3)]


def randint(x):
    return torch.sin(x) + torch.randint(4, (3,))


FIXES = {
    "randint": {"target": randint},
}
