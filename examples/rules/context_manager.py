"""A lock is held in a compiled function."""

import threading

import torch

from dynprobe import Call

LOCK = threading.Lock()


def before(x):
    with LOCK:
        return torch.sin(x) + 1


def calls():
    return [torch.ones(3)]


def bare(x):
    return torch.sin(x) + 1


def around():
    return [Call((x,), around=lambda: LOCK) for x in calls()]


FIXES = {
    "around": {"target": bare, "calls": around},
}
