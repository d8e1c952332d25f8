"""A global step decides what is done."""

import torch

from dynprobe import Call

STEP = 0


def before(x):
    if STEP < 3:
        return x * 0.1
    return x * 0.9


def at(step):
    def set_step():
        global STEP
        STEP = step

    return set_step


def calls():
    return [Call((torch.ones(3),), before=at(step)) for step in range(6)]


def passed(x, step):
    if step < 3:
        return x * 0.1
    return x * 0.9


def passed_calls():
    return [((torch.ones(3), step), {}) for step in range(6)]


def listed():
    torch.compiler.config.dynamic_sources = "G['STEP']"


FIXES = {
    "argument": {"target": passed, "calls": passed_calls, "dynamic": True, "recompiles": 1},
    "listed": {"setup": listed, "recompiles": 1},
}
