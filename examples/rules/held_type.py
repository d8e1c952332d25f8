"""A field that is a list on one call and a tuple on another."""

from dataclasses import dataclass

import torch


@dataclass
class Batch:
    parts: list | tuple


def before(batch):
    return batch.parts[0] + batch.parts[1]


def parts():
    return torch.ones(3), torch.zeros(3)


def calls():
    return [Batch(list(parts())), Batch(parts()), Batch(list(parts()))]


def one():
    return [Batch(list(parts())) for _ in range(3)]


FIXES = {
    "one": {"calls": one},
}
