"""A maximum that is read out of a tensor."""

import torch


def before(x):
    peak = x.max().item()
    return x / peak


def as_tensor(x):
    return x / x.max()


def calls():
    return [torch.tensor([1.0, peak]) for peak in (4.0, 5.0, 6.0)]


FIXES = {
    "mend": {"target": as_tensor},
}
