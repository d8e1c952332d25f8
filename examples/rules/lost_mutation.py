"""A random generator of one's own, drawn from in compiled code."""

import random

import torch

RNG = random.Random(0)


def before(x):
    return x * RNG.random()


def with_argument(x, drawn):
    return x * drawn


def calls():
    return [torch.ones(3)] * 3


def calls_with_argument():
    return [((torch.ones(3), torch.tensor(RNG.random())), {}) for _ in range(3)]


FIXES = {
    "outside": {"target": with_argument, "calls": calls_with_argument, "same": False},
}
COMMAND = ["--eager"]
