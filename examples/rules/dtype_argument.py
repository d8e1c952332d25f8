"""The dtype to compute in, as an argument."""

import torch


def before(x, dtype):
    return torch.sin(x.to(dtype)).float()


def sine(x):
    return torch.sin(x).float()


def calls():
    return [((torch.ones(3), dtype), {}) for dtype in (torch.float64, torch.float32)]


def before_the_call():
    return [x.to(dtype).float() for (x, dtype), _ in calls()]


FIXES = {
    "before": {"target": sine, "calls": before_the_call},
}
