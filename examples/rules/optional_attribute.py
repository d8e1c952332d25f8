"""A field that is None on some calls."""

from dataclasses import dataclass

import torch


@dataclass
class Batch:
    x: torch.Tensor
    mask: torch.Tensor | None = None


def before(batch):
    x = torch.sin(batch.x)
    return x if batch.mask is None else x * batch.mask


def calls():
    x = torch.ones(3)
    return [Batch(x), Batch(x, torch.zeros(3)), Batch(x)]


def neutral():
    x, none = torch.ones(3), torch.ones(3)
    return [Batch(x, none), Batch(x, torch.zeros(3)), Batch(x, none)]


FIXES = {
    "neutral": {"calls": neutral},
}
