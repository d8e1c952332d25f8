"""A print on the way."""

import torch


def before(x):
    y = torch.sin(x)
    print("mean", y.mean())
    return y + 1


def calls():
    return [torch.ones(3)]


def quiet(x):
    y = torch.sin(x)
    if not torch.compiler.is_compiling():
        print("mean", y.mean())
    return y + 1


def reorder():
    torch._dynamo.config.reorderable_logging_functions.add(print)


FIXES = {
    "is_compiling": {"target": quiet},
    "reorder": {"setup": reorder},
}
