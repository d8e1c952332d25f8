"""A scale that changes on every call."""

import torch


def before(x, scale):
    return x * scale


def calls():
    return [((torch.ones(3), scale), {}) for scale in (0.1, 0.2, 0.3)]


def tensors():
    return [((x, torch.tensor(scale)), {}) for (x, scale), _ in calls()]


FIXES = {
    "tensor": {"calls": tensors},
    "dynamic": {"dynamic": True},
}
