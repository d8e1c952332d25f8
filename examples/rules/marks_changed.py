"""A mark that comes with the second call only."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    xs = [torch.ones(4), torch.ones(4), torch.ones(5)]
    torch._dynamo.mark_dynamic(xs[1], 0)
    return xs


def first():
    xs = calls()
    torch._dynamo.mark_dynamic(xs[0], 0)
    return xs


FIXES = {
    "first": {"calls": first},
}
