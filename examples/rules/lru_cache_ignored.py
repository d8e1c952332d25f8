"""A memoised function that reads a global."""

import functools

import torch

from dynprobe import Call

SCALE = 2.0
KEPT = {}


@functools.lru_cache
def scale():
    return SCALE


def scale_by_dict():
    if "scale" not in KEPT:
        KEPT["scale"] = SCALE
    return KEPT["scale"]


def before(x):
    return x * scale()


def with_argument(x, factor):
    return x * factor


def with_dict(x):
    return x * scale_by_dict()


def change():
    global SCALE
    SCALE = 3.0


def calls():
    return [Call((torch.ones(3),)), Call((torch.ones(3),), before=change)]


def calls_with_argument():
    return [((torch.ones(3), scale()), {})] * 2


FIXES = {
    "outside": {"target": with_argument, "calls": calls_with_argument},
    "dict": {"target": with_dict, "recompiles": 1},
}
COMMAND = ["--eager"]
