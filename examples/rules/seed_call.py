"""The seed is set in the compiled function."""

import torch

from dynprobe import Call


def before(x):
    torch.manual_seed(1)
    return torch.sin(x) + torch.rand(3)


def calls():
    return [torch.ones(3)]


def noisy(x):
    return torch.sin(x) + torch.rand(3)


def seeded():
    return [Call((x,), before=lambda: torch.manual_seed(1)) for x in calls()]


FIXES = {
    "outside": {"target": noisy, "calls": seeded},
}
