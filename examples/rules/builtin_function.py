"""A function written in C that Dynamo does not know."""

import bisect

import torch


def before(x, edges):
    return torch.sin(x) * bisect.bisect(edges, 2)


def calls():
    return [((torch.ones(3), [1, 2, 3]), {})]


def given(x, found):
    return torch.sin(x) * found


def found_before():
    return [((x, bisect.bisect(edges, 2)), {}) for (x, edges), _ in calls()]


FIXES = {
    "outside": {"target": given, "calls": found_before},
}
