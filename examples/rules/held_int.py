"""A number in a config object changes."""

from dataclasses import dataclass

import torch


@dataclass
class Config:
    scale: int | torch.Tensor


def before(x, config):
    return x * config.scale


def calls():
    return [((torch.ones(3), Config(n)), {}) for n in (2, 3, 4)]


def tensors():
    return [((torch.ones(3), Config(torch.tensor(n))), {}) for n in (2, 3, 4)]


FIXES = {
    "dynamic": {"dynamic": True},
    "tensor": {"calls": tensors},
}
