"""A random draw in a function that is run once more for its capture."""

import numpy as np
import torch


@torch.compiler.allow_in_graph
def noise(x):
    return x + np.random.rand()


def before(x):
    return noise(x) * 2


def with_argument(x, drawn):
    return (x + drawn) * 2


def calls():
    return [torch.ones(3)]


def calls_with_argument():
    return [((torch.ones(3), torch.rand(())), {})]


FIXES = {
    "outside": {"target": with_argument, "calls": calls_with_argument, "same": False},
}
COMMAND = ["--eager"]
