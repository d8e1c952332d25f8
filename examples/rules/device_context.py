"""`with torch.device(...)` in a compiled function."""

import torch

from dynprobe import Call


def before(x):
    with torch.device("cpu"):
        return torch.sin(x) + torch.ones(3)


def calls():
    return [torch.ones(3)]


def device(x):
    return torch.sin(x) + torch.ones(3, device=x.device)


def bare(x):
    return torch.sin(x) + torch.ones(3)


def around():
    return [Call((x,), around=lambda: torch.device("cpu")) for x in calls()]


FIXES = {
    "device": {"target": device},
    "around": {"target": bare, "calls": around},
}
