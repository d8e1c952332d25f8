"""A mask that is not always there."""

import torch


def before(x, mask=None):
    y = torch.sin(x)
    return y if mask is None else y * mask


def calls():
    x, mask = torch.ones(3), torch.tensor([1.0, 0.0, 1.0])
    return [((x, mask), {}), ((x, None), {}), ((x, mask), {})]


def neutral():
    return [((x, torch.ones(3) if mask is None else mask), {}) for (x, mask), _ in calls()]


FIXES = {
    "neutral": {"calls": neutral},
}
