"""A text is made of a tensor's values."""

import torch

SEEN = []


def before(x):
    y = torch.sin(x)
    SEEN.append(str(y))
    return y + 1


def calls():
    return [torch.ones(3)]


def outside(x):
    y = torch.sin(x)
    SEEN.append(y)  # a text is made of it where it is read
    return y + 1


FIXES = {
    "outside": {"target": outside},
}
