"""A class is defined in a compiled function."""

import torch


def before(x):
    y = torch.sin(x)

    class Scale:
        value = 2.0

    return y * Scale.value


def calls():
    return [torch.ones(3)]


class Scale:
    value = 2.0


def outside(x):
    return torch.sin(x) * Scale.value


FIXES = {
    "outside": {"target": outside},
}
