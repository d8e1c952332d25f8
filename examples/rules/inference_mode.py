"""A function that is called with gradients, and again under inference mode."""

import torch

from dynprobe import Call


def before(x):
    return torch.sin(x) + 1


def calls():
    x = torch.ones(3)
    return [Call((x,), around=torch.no_grad), Call((x,), around=torch.inference_mode)]


def one():
    return [Call((torch.ones(3),), around=torch.inference_mode) for _ in range(2)]


def no_grad():
    return [Call((torch.ones(3),), around=torch.no_grad) for _ in range(2)]


NORMAL, INFERENCE = (
    torch.compile(before, backend="eager", isolate_recompiles=True) for _ in range(2)
)


@torch.compiler.disable
def in_turn(x):
    found = NORMAL(x)
    with torch.inference_mode():
        return [found, INFERENCE(x)]


def isolated(x):
    return in_turn(x)


def one_call():
    return [torch.ones(3)]


FIXES = {
    "one": {"calls": one},
    "no_grad": {"calls": no_grad},
    "isolate": {"target": isolated, "calls": one_call, "same": False},  # one call for both
}
