"""A loss scale that overflows and is set anew."""

import torch


def before(x, scale):
    return x * scale


def calls():
    return [((torch.ones(3), scale), {}) for scale in (0.5, float("inf"), 2.0)]


def tensors():
    return [((x, torch.tensor(scale)), {}) for (x, scale), _ in calls()]


FIXES = {
    "tensor": {"calls": tensors},
}
