"""A class that is made anew for every call, and the one before it is collected."""

import gc

import torch

from dynprobe import Call

MADE = {}


def make():
    MADE["settings"] = type("Settings", (), {"scale": 2.0})
    gc.collect()


def before(x):
    return x * MADE["settings"].scale


def calls():
    return [Call((torch.ones(3),), before=make) for _ in range(3)]


def kept():
    return [torch.ones(3)] * 3


FIXES = {
    "keep": {"setup": make, "calls": kept},
}
