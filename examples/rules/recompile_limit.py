"""A text that is another one on every call: one cache entry for each, up to the limit."""

import torch


def before(x, mode):
    return x + len(mode)


def calls():
    return [((torch.ones(2), "m" * i), {}) for i in range(11)]


HIGHER = torch.compile(before, backend="eager", recompile_limit=16)
SHORT, LONG = (torch.compile(before, backend="eager", isolate_recompiles=True) for _ in range(2))


@torch.compiler.disable
def from_two_places(x):
    short = [SHORT(x, "m" * i) for i in range(5)]
    return short + [LONG(x, "m" * i) for i in range(5, 11)]


def isolated(x):
    return from_two_places(x)


def one_call():
    return [torch.ones(2)]


FIXES = {
    "limit": {"recompile_limit": 16, "recompiles": 10},
    "per_function": {"target": HIGHER, "recompiles": 10},
    "isolate": {"target": isolated, "calls": one_call, "recompiles": 9, "same": False},
}
