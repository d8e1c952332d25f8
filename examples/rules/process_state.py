"""Deterministic algorithms are asked for after the first call."""

import torch

from dynprobe import Call


def before(x):
    return torch.sin(x) + 1


def deterministic():
    torch.use_deterministic_algorithms(True)


def not_deterministic():
    torch.use_deterministic_algorithms(False)


def calls():
    x = torch.ones(3)
    return [Call((x,)), Call((x,), before=deterministic), Call((x,), before=not_deterministic)]


def once():
    return [torch.ones(3)] * 3


FIXES = {
    "once": {"setup": not_deterministic, "calls": once},
}
