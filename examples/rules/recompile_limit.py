"""A text that is another one on every call: one cache entry for each, up to the limit."""

import torch


def before(x, mode):
    return x + len(mode)


def calls():
    return [((torch.ones(2), "m" * i), {}) for i in range(11)]


FIXES = {
    "limit": {"recompile_limit": 16, "recompiles": 10},
}
