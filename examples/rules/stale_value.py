"""What a function under assume_constant_result reads, and that changes."""

import torch

from dynprobe import Call

SCALES = [2.0]


@torch.compiler.assume_constant_result
def scale():
    return SCALES[0]


def before(x):
    return x * scale()


def with_argument(x, factor):
    return x * factor


def change():
    SCALES[0] = 3.0


def calls():
    return [Call((torch.ones(3),)), Call((torch.ones(3),), before=change)]


def calls_with_argument():
    return [((torch.ones(3), factor), {}) for factor in (2.0, 3.0)]


FIXES = {
    "argument": {"target": with_argument, "calls": calls_with_argument, "recompiles": 1},
}
COMMAND = ["--eager"]
