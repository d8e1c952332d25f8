"""NumPy arrays of one length, then of another."""

import numpy as np
import torch


def before(x):
    return x * 2 + 1


def calls():
    return [np.ones(n) for n in (4, 5, 6)]


def through_numpy(x):
    return before(x).numpy()


def tensors():
    made = [torch.from_numpy(x) for x in calls()]
    for x in made:
        torch._dynamo.mark_dynamic(x, 0)
    return made


FIXES = {
    "dynamic": {"dynamic": True},
    "tensor": {"target": through_numpy, "calls": tensors},
}
