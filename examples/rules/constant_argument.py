"""A text for each call."""

import torch

WEIGHTS = {"low": 0.5, "middle": 1.0, "high": 2.0}


def before(x, level):
    return x * WEIGHTS[level]


def weighted(x, weight):
    return x * weight


def calls():
    return [((torch.ones(3), level), {}) for level in WEIGHTS]


def resolved():
    return [((x, torch.tensor(WEIGHTS[level])), {}) for (x, level), _ in calls()]


COMPILED = {}


def isolate():
    for level in WEIGHTS:
        COMPILED[level] = torch.compile(before, backend="eager", isolate_recompiles=True)


@torch.compiler.disable
def each(x):
    return [compiled(x, level) for level, compiled in COMPILED.items()]


def isolated(x):
    return each(x)


def all_at_once():
    return [torch.ones(3)]


FIXES = {
    "resolve": {"target": weighted, "calls": resolved},
    "isolate": {
        "setup": isolate,
        "target": isolated,
        "calls": all_at_once,
        "same": False,  # one call for all
    },
}
