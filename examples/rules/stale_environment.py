"""An environment variable that changes after the first call."""

import os

import torch

from dynprobe import Call


def before(x):
    return x * 2 if os.getenv("EXAMPLE_DOUBLE") == "1" else x + 100


def with_get(x):
    return x * 2 if os.environ.get("EXAMPLE_DOUBLE") == "1" else x + 100


def with_argument(x, double):
    return x * 2 if double == "1" else x + 100


def calls():
    def setting(value):
        return lambda: os.environ.update(EXAMPLE_DOUBLE=value)

    return [Call((torch.ones(3),), before=setting(value)) for value in "110"]


def calls_with_argument():
    return [((torch.ones(3), value), {}) for value in "110"]


FIXES = {
    "get": {"target": with_get, "recompiles": 1},
    "argument": {"target": with_argument, "calls": calls_with_argument, "recompiles": 1},
}
COMMAND = ["--eager"]
