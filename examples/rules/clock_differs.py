"""A result that depends on when it is computed."""

import time

import torch


def before(x):
    return x + time.time_ns() % 1_000_000_007


def with_argument(x, now):
    return x + now % 1_000_000_007


def calls():
    return [torch.zeros(3, dtype=torch.int64)]


def calls_with_argument():
    return [((torch.zeros(3, dtype=torch.int64), 1_700_000_000_000_000_000), {})]


FIXES = {
    "outside": {"target": with_argument, "calls": calls_with_argument, "same": False},
}
COMMAND = ["--eager"]
