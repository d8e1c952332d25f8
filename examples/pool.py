"""What goes wrong most often: a size that changes, a text that changes, a branch on data."""

import torch


def pool(x, how):
    y = torch.relu(x)
    if how == "max":
        return y.amax()
    return y.mean()


def clip(x, limit=1.0):
    y = torch.relu(x)
    if y.max() > limit:
        y = y / y.max()
    return y * 2
