"""Code that asks whether it is being compiled."""

import torch


def before(x):
    return x * 2 if torch.compiler.is_compiling() else x * 3


def calls():
    return [torch.ones(3)]


FIXES = {}
COMMAND = ["--eager"]
