"""A flag in a config object decides what is captured."""

from dataclasses import dataclass

import torch


@dataclass
class Config:
    double: bool | torch.Tensor


def before(x, config):
    return x * 2 if config.double else x + 1


def calls():
    return [((torch.ones(3), Config(double)), {}) for double in (True, False, True)]


COMPILED = {
    double: torch.compile(before, backend="eager", isolate_recompiles=True)
    for double in (True, False)
}


@torch.compiler.disable
def each(x):
    return [compiled(x, Config(double)) for double, compiled in COMPILED.items()]


def isolated(x):
    return each(x)


def all_at_once():
    return [torch.ones(3)]


def chosen(x, config):
    return torch.where(config.double, x * 2, x + 1)


def chosen_calls():
    flags = (torch.tensor(double) for double in (True, False, True))
    return [((torch.ones(3), Config(flag)), {}) for flag in flags]


FIXES = {
    "isolate": {"target": isolated, "calls": all_at_once, "same": False},  # one call for both
    "where": {"target": chosen, "calls": chosen_calls},
}
