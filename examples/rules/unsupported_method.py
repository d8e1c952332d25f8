"""A method written in C that Dynamo does not know."""

from array import array

import torch

WEIGHTS = array("f", [0.5, 2.0])


def before(x):
    return torch.sin(x) * WEIGHTS.tolist()[1]


def calls():
    return [torch.ones(3)]


def given(x, weights):
    return torch.sin(x) * weights[1]


def listed():
    return [((x, WEIGHTS.tolist()), {}) for x in calls()]


FIXES = {
    "outside": {"target": given, "calls": listed},
}
