"""A compiled layer is called for one layer after another."""

import torch


class Layer(torch.nn.Module):
    def __init__(self, index):
        super().__init__()
        self.layer_idx = index

    def forward(self, x, cache):
        return torch.sin(x) + cache[self.layer_idx]


LAYERS = [Layer(index) for index in range(4)]


def before(layer, x, cache):
    return layer(x, cache)


def cache():
    return {index: torch.ones(3) * index for index in range(4)}


def calls():
    return [((layer, torch.ones(3), cache()), {}) for layer in LAYERS]


def stack(x, cache):
    return [layer(x, cache) for layer in LAYERS]


def stack_calls():
    return [((torch.ones(3), cache()), {})]


COMPILED = [torch.compile(layer, backend="eager", isolate_recompiles=True) for layer in LAYERS]


@torch.compiler.disable
def in_turn(x, cache):
    return [layer(x, cache) for layer in COMPILED]


def isolated(x, cache):
    return in_turn(x, cache)


FIXES = {
    "region": {"target": stack, "calls": stack_calls, "same": False},  # one call for all layers
    "isolate": {"target": isolated, "calls": stack_calls, "same": False},
}
