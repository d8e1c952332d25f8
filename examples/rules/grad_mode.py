"""A function that the training loop and its validation call, one with gradients, one without."""

import torch

from dynprobe import Call


def before(x):
    return torch.sin(x) + 1


def calls():
    x = torch.ones(3)
    return [Call((x,)), Call((x,), around=torch.no_grad), Call((x,))]


def one():
    return [Call((torch.ones(3),), around=torch.no_grad) for _ in range(3)]


def inside(x):
    with torch.no_grad():
        return torch.sin(x) + 1


def inside_calls():
    return [Call((torch.ones(3),)) for _ in range(3)]


WITH, WITHOUT = (torch.compile(before, backend="eager", isolate_recompiles=True) for _ in range(2))


@torch.compiler.disable
def in_turn(x):
    found = WITH(x)
    with torch.no_grad():
        return [found, WITHOUT(x)]


def isolated(x):
    return in_turn(x)


def one_call():
    return [torch.ones(3)]


FIXES = {
    "one": {"calls": one},
    "inside": {"target": inside, "calls": inside_calls},
    "isolate": {"target": isolated, "calls": one_call, "same": False},  # one call for both
}
