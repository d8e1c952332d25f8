"""A number is drawn by Python's `random`."""

import random

import torch


def before(x):
    return torch.sin(x) + random.random()


def calls():
    return [torch.ones(3)]


def given(x, number):
    return torch.sin(x) + number


def drawn():
    return [((x, random.random()), {}) for x in calls()]


def uniform(x):
    return torch.sin(x) + random.uniform(0, 1)


def drawn_by_torch(x):
    return torch.sin(x) + torch.rand(())


FIXES = {
    "outside": {"target": given, "calls": drawn, "same": False},  # nobody seeds random
    "uniform": {"target": uniform, "same": False},
    "torch": {"target": drawn_by_torch, "same": False},
}
