"""A generator is what is compiled."""

import torch


def before(x):
    yield torch.sin(x)
    yield torch.cos(x)


def calls():
    return [torch.ones(3)]


def consumer(x):
    return tuple(before(x))


FIXES = {
    "consume": {"target": consumer, "same": False},  # a tuple of what the generator yields
}
