"""The number of classes is left to the values."""

import torch


def before(x):
    return torch.nn.functional.one_hot(x) * 2


def calls():
    return [torch.tensor([0, 2, 1])]


def classes(x):
    return torch.nn.functional.one_hot(x, num_classes=3) * 2


FIXES = {
    "num_classes": {"target": classes},
}
