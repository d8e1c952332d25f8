"""A model is frozen after its first call."""

import torch

from dynprobe import Call

torch.manual_seed(0)
before = torch.nn.Linear(3, 3)


def freeze():
    before.requires_grad_(False)


def thaw():
    before.requires_grad_(True)


def calls():
    x = torch.ones(2, 3)
    return [Call((x,), before=thaw), Call((x,), before=freeze)]


def frozen():
    return [torch.ones(2, 3)] * 2


FIXES = {
    "before": {"setup": freeze, "calls": frozen},
}
