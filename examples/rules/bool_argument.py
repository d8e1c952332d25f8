"""A flag that selects between two ways."""

import torch


def before(x, double):
    return x * 2 if double else x + 1


def where(x, double):
    return torch.where(double, x * 2, x + 1)


def cond(x, double):
    return torch.cond(double, lambda x: x * 2, lambda x: x + 1, (x,))


def calls():
    return [((torch.ones(3), double), {}) for double in (True, False)]


def tensors():
    return [((x, torch.tensor(double)), {}) for (x, double), _ in calls()]


FIXES = {
    "where": {"target": where, "calls": tensors},
    "cond": {"target": cond, "calls": tensors},
}
