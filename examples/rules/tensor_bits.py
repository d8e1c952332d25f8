"""A conjugate, which is a view with a bit set."""

import torch


def before(x):
    return x * 2 + 1


def calls():
    x = torch.ones(3, dtype=torch.complex64)
    return [x, x.conj(), x]


def resolved():
    return [x.resolve_conj().resolve_neg() for x in calls()]


FIXES = {
    "resolve": {"calls": resolved},
}
