"""A text for each call."""

import torch

WEIGHTS = {"low": 0.5, "middle": 1.0, "high": 2.0}


def before(x, level):
    return x * WEIGHTS[level]


def weighted(x, weight):
    return x * weight


def calls():
    return [((torch.ones(3), level), {}) for level in WEIGHTS]


def resolved():
    return [((x, torch.tensor(WEIGHTS[level])), {}) for (x, level), _ in calls()]


FIXES = {
    "resolve": {"target": weighted, "calls": resolved},
}
