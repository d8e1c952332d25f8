"""A batch that came from NumPy is float64."""

import torch


def before(x):
    return torch.sin(x.float())


def calls():
    return [torch.ones(3, dtype=dtype) for dtype in (torch.float32, torch.float64)]


def converted():
    return [x.float() for x in calls()]


FIXES = {
    "convert": {"calls": converted},
}
