"""A write to a stream on the way."""

import sys

import torch


def before(x):
    y = torch.sin(x)
    sys.stderr.write(".")
    return y + 1


def calls():
    return [torch.ones(3)]


def quiet(x):
    y = torch.sin(x)
    if not torch.compiler.is_compiling():
        sys.stderr.write(".")
    return y + 1


FIXES = {
    "is_compiling": {"target": quiet},
}
