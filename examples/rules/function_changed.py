"""Another activation function is passed on each call."""

import torch

ACTIVATIONS = [lambda x: x + 1, lambda x: x + 2, lambda x: x + 3]


def before(x, activation):
    return activation(torch.sin(x))


def calls():
    return [((torch.ones(3), activation), {}) for activation in ACTIVATIONS]


COMPILED = {
    activation: torch.compile(before, backend="eager", isolate_recompiles=True)
    for activation in ACTIVATIONS
}


@torch.compiler.disable
def each(x):
    return [compiled(x, activation) for activation, compiled in COMPILED.items()]


def isolated(x):
    return each(x)


def all_at_once():
    return [torch.ones(3)]


def adds(number):
    return lambda x: x + number


def made():
    return [((torch.ones(3), adds(torch.tensor(n))), {}) for n in (1, 2, 3)]


FIXES = {
    "isolate": {"target": isolated, "calls": all_at_once, "same": False},  # one call for all
    "factory": {"calls": made},
}
