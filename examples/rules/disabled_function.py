"""A function that `torch.compiler.disable` keeps out of graphs."""

import torch


@torch.compiler.disable
def scaled(x):
    return x * 2


def before(x):
    return scaled(torch.sin(x)) + 1


def calls():
    return [torch.ones(3)]


def remove(x):
    return torch.sin(x) * 2 + 1


@torch.library.custom_op("dynprobe_examples::scaled", mutates_args=())
def scaled_op(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@scaled_op.register_fake
def _(x):
    return torch.empty_like(x)


def custom_op(x):
    return scaled_op(torch.sin(x)) + 1


FIXES = {
    "remove": {"target": remove},
    "custom_op": {"target": custom_op},
}
