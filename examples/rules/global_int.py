"""A function counts its calls in a global and computes with the count."""

import torch

from dynprobe import Call

STEP = 0
COUNT = torch.tensor(0)


def before(x):
    global STEP
    STEP += 1
    return x * STEP


def start():
    global STEP
    STEP = 0
    COUNT.zero_()


def calls():
    x = torch.ones(3)
    return [Call((x,), before=start), x, x, x]


def counted(x):
    COUNT.add_(1)
    return x * COUNT


def passed(x, step):
    return x * step


def passed_calls():
    return [((torch.ones(3), step), {}) for step in (1, 2, 3, 4)]


def listed():
    torch.compiler.config.dynamic_sources = "G['STEP']"


FIXES = {
    "tensor": {"target": counted},
    "argument": {"target": passed, "calls": passed_calls, "dynamic": True},
    "listed": {"setup": listed},
}
