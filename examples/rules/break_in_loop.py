"""A print in a loop costs the whole function."""

import torch


def before(x):
    for _ in range(3):
        x = torch.sin(x)
        print(x.mean())
    return x


def calls():
    return [torch.ones(3)]


def lifted(x):
    means = []
    for _ in range(3):
        x = torch.sin(x)
        means.append(x.mean())
    print(means)
    return x


FIXES = {
    "lift": {"target": lifted, "breaks": 1},
}
