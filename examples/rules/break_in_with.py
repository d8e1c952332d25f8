"""A print under a context manager of one's own costs the whole function."""

import torch


class Timed:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


def before(x):
    with Timed():
        y = torch.sin(x)
        print(y.mean())
        return y + 1


def calls():
    return [torch.ones(3)]


def lifted(x):
    with Timed():
        y = torch.sin(x)
        mean = y.mean()
        y = y + 1
    print(mean)
    return y


FIXES = {
    "lift": {"target": lifted, "breaks": 1},
}
