"""A batch of one, and a graph break before the last operation."""

import torch
from torch.fx.experimental import _config as shapes


def before(x):
    y = torch.sin(x)
    torch._dynamo.graph_break()
    return torch.cos(y) + 1


def calls():
    return [torch.ones(n) for n in (4, 1, 5)]


def oblivious():
    shapes.backed_size_oblivious = True


FIXES = {
    "oblivious": {"dynamic": True, "setup": oblivious},
}
