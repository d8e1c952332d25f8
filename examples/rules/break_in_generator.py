"""A print in a generator costs the generator."""

import torch


def waves(x):
    for n in range(2):
        print(n)
        yield torch.sin(x) * n


def before(x):
    return sum(waves(x))


def calls():
    return [torch.ones(3)]


def silent(x):
    for n in range(2):
        yield torch.sin(x) * n


def lifted(x):
    total = sum(silent(x))
    print(total.mean())
    return total


FIXES = {
    "lift": {"target": lifted, "breaks": 1},
}
