"""A break that the code asks for itself."""

import torch


def before(x):
    y = torch.sin(x)
    torch._dynamo.graph_break()
    return y + 1


def calls():
    return [torch.ones(3)]


def removed(x):
    y = torch.sin(x)
    return y + 1


FIXES = {
    "remove": {"target": removed},
}
