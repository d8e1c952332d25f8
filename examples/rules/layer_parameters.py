"""A compiled layer is called for layers of different widths."""

import torch

LAYERS = [torch.nn.Linear(3, width) for width in (4, 5, 6, 7)]


def before(layer, x):
    return layer(x)


def calls():
    return [((layer, torch.ones(2, 3)), {}) for layer in LAYERS]


def stack(x):
    return [layer(x) for layer in LAYERS]


def stack_calls():
    return [torch.ones(2, 3)]


COMPILED = [torch.compile(layer, backend="eager", isolate_recompiles=True) for layer in LAYERS]


@torch.compiler.disable
def in_turn(x):
    return [layer(x) for layer in COMPILED]


def isolated(x):
    return in_turn(x)


FIXES = {
    "region": {"target": stack, "calls": stack_calls, "same": False},  # one call for all layers
    "isolate": {"target": isolated, "calls": stack_calls, "same": False},
}
