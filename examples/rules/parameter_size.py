"""One function for layers of different widths."""

import torch


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))


def before(x, layer):
    return x + layer.weight.sum()


def calls():
    return [((torch.ones(3), Layer(width)), {}) for width in (4, 5, 6)]


def force():
    torch._dynamo.config.force_parameter_static_shapes = False


FIXES = {
    "force": {"setup": force, "recompiles": 1},
}
