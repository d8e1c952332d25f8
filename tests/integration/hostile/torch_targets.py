"""Targets of torch that misbehave on the call whose tensor has 5 elements."""

from __future__ import annotations

import ctypes
import os
import sys
import time

import torch


def plain(x):
    return torch.sin(x) + 1


def hangs(x):
    if x.shape[0] == 5:
        _hang()
    return torch.sin(x) + 1


@torch.compiler.disable
def _hang():
    while True:
        time.sleep(0.01)


def crashes(x):
    if x.shape[0] == 5:
        _crash()
    return torch.sin(x) + 1


@torch.compiler.disable
def _crash():
    ctypes.string_at(0)


def resets(x):
    if x.shape[0] == 5:
        _reset()
    return torch.sin(x) + 1


@torch.compiler.disable
def _reset():
    """All that a target may do to torch, to Python and to its process at once."""
    torch._dynamo.reset()
    torch.manual_seed(7)
    torch.compile(lambda y: y * 2, backend="eager")(torch.ones(3))
    print("printed")
    os.write(1, b"written\n")
    os.chdir("/")
    sys.stdout = sys.stderr = None


class Rude(BaseException):
    pass


def raises(x):
    if x.shape[0] == 5:
        raise Rude("no Exception")
    if x.shape[0] == 6:
        sys.exit("enough")
    if x.shape[0] == 7:
        raise KeyboardInterrupt
    return torch.sin(x) + 1
