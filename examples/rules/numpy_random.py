"""A number is drawn by NumPy."""

import numpy as np
import torch


def before(x):
    return torch.sin(x) + np.random.rand()


def calls():
    return [torch.ones(3)]


def drawn_by_torch(x):
    return torch.sin(x) + torch.rand(())


FIXES = {
    "torch": {"target": drawn_by_torch, "same": False},
}
