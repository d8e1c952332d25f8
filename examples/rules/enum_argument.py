"""A member of an enum for each call."""

import enum

import torch


class Level(enum.Enum):
    LOW = 0.5
    MIDDLE = 1.0
    HIGH = 2.0


def before(x, level):
    return x * level.value


def weighted(x, weight):
    return x * weight


def calls():
    return [((torch.ones(3), level), {}) for level in Level]


def resolved():
    return [((x, torch.tensor(level.value)), {}) for (x, level), _ in calls()]


COMPILED = {}


def isolate():
    for level in Level:
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
