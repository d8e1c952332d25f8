"""Targets of every form, and calls that a command line cannot say."""

from functools import partial

import torch
from torch import nn

import dynprobe


class Mlp(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.scale = 1.0
        self.enter = nn.Linear(8, width)
        self.leave = nn.Linear(width, 8)
        self.drop = nn.Dropout(0.1)

    def encode(self, x):
        return torch.tanh(self.enter(x)) * self.scale

    def forward(self, x, mask=None):
        y = self.leave(self.drop(self.encode(x)))
        return y if mask is None else y.masked_fill(mask, 0.0)


def build():
    """A factory: zero arguments, gives what is to be called."""
    torch.manual_seed(0)
    return Mlp(width=4)


def add(xs, options, offset=0):
    """Takes a list and a dict."""
    return sum(xs) * options["gain"] + offset


net = Mlp()
add_one = partial(add, offset=1)
compiled = torch.compile(net.encode, backend="eager", dynamic=True)
weights = torch.ones(8)


def calls():
    """For --inputs: a change between the calls, and a context held during one."""

    def warm_up():
        net.scale = 0.5

    x = torch.ones(4, 8)
    return [
        dynprobe.Call((x,), label="as built"),
        dynprobe.Call((x,), label="scaled", before=warm_up),
        dynprobe.Call((x,), label="no grad", around=torch.no_grad),
        dynprobe.Call((x,), label="bf16", around=lambda: torch.autocast("cpu", torch.bfloat16)),
    ]
