"""Compiled with dynamic=False, called with several sizes."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(n) for n in (4, 5, 6)]


OPTIONS = {"dynamic": False}
FIXES = {
    "dynamic": {"dynamic": True},
}
