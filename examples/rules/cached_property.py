"""A `functools.cached_property` is read for the first time."""

import functools

import torch


class Scale:
    @functools.cached_property
    def value(self):
        return 2.0


class Plain:
    @property
    def value(self):
        return 2.0


SCALE, PLAIN, FILLED = Scale(), Plain(), Scale()
assert FILLED.value


def before(x):
    return torch.sin(x) * SCALE.value


def calls():
    return [torch.ones(3)]


def filled(x):
    return torch.sin(x) * FILLED.value


def plain(x):
    return torch.sin(x) * PLAIN.value


FIXES = {
    "read": {"target": filled},
    "property": {"target": plain},
}
