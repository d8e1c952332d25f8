"""A function that Dynamo does not go into."""

import importlib
import math

import torch


def before(x):
    library = importlib.import_module("math")
    return torch.sin(x) * library.pi


def calls():
    return [torch.ones(3)]


def given(x, library):
    return torch.sin(x) * library.pi


def imported():
    return [((x, math), {}) for x in calls()]


FIXES = {
    "outside": {"target": given, "calls": imported},
}
