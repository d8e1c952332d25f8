"""The process is asked for something on the way."""

import os

import torch


def before(x):
    return torch.sin(x) + os.path.exists(os.sep)


def calls():
    return [torch.ones(3)]


def given(x, there):
    return torch.sin(x) + there


def read():
    return [((x, os.path.exists(os.sep)), {}) for x in calls()]


@torch.compiler.assume_constant_result
def there():
    return os.path.exists(os.sep)


def constant(x):
    return torch.sin(x) + there()


FIXES = {
    "outside": {"target": given, "calls": read},
    "constant": {"target": constant},
}
