"""A variable of the environment decides what is captured, and changes between calls."""

import os
from functools import partial

import torch

from dynprobe import Call


def before(x):
    return x * 2 if os.environ["EXAMPLE_MODE"] == "double" else x + 1


def set_mode(mode):
    os.environ["EXAMPLE_MODE"] = mode


def calls():
    x = torch.ones(3)
    return [Call((x,), before=partial(set_mode, mode)) for mode in ("double", "add", "double")]


def once():
    return [torch.ones(3)] * 3


COMPILED = {
    mode: torch.compile(before, backend="eager", isolate_recompiles=True)
    for mode in ("double", "add")
}


@torch.compiler.disable
def each(x):
    found = []
    for mode, compiled in COMPILED.items():
        set_mode(mode)
        found.append(compiled(x))
    return found


def isolated(x):
    return each(x)


def all_at_once():
    return [torch.ones(3)]


FIXES = {
    "once": {"setup": partial(set_mode, "double"), "calls": once, "same": False},  # one mode
    "isolate": {"target": isolated, "calls": all_at_once, "same": False},  # one call for both
}
