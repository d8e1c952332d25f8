"""The random generators a target may draw from, put where every observation has them alike."""

from __future__ import annotations

import random

import numpy as np
import torch

_TORCH = 2**64  # torch takes a seed of 64 bits, numpy one of 32
_NUMPY = 2**32


def seed_generators(seed: int) -> None:
    """Seeds Python's, numpy's and torch's own generators: a target that draws random numbers
    draws the same ones each time it is observed."""
    random.seed(seed)
    np.random.seed(seed % _NUMPY)
    torch.manual_seed(seed % _TORCH)


def seed_call(seed: int, index: int) -> None:
    """Before call `index`: what earlier calls drew, which differs between a compiled and a plain
    run, then changes nothing for this one."""
    seed_generators(seed + index)
