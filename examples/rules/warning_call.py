"""A warning on the way."""

import warnings

import torch


def before(x):
    y = torch.sin(x)
    warnings.warn("sin is used", stacklevel=2)
    return y + 1


def calls():
    return [torch.ones(3)]


def quiet(x):
    y = torch.sin(x)
    if not torch.compiler.is_compiling():
        warnings.warn("sin is used", stacklevel=2)
    return y + 1


def ignore():
    torch._dynamo.config.ignore_logging_functions.add(warnings.warn)


FIXES = {
    "is_compiling": {"target": quiet},
    "ignore": {"setup": ignore},
}
