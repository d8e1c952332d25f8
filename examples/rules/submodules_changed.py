"""A layer is added after the first call."""

import torch

from dynprobe import Call


class Stack(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.ReLU() for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


before = Stack(1)


def add():
    before.layers.append(torch.nn.ReLU())


def calls():
    return [Call((torch.ones(3),)), Call((torch.ones(3),), before=add)]


def whole():
    return [torch.ones(3)] * 2


FIXES = {
    "before": {"target": Stack(2), "calls": whole},
}
