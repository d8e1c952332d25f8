"""A batch whose size changes from call to call."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(n) for n in (4, 5, 6)]


def marked():
    xs = calls()
    for x in xs:
        torch._dynamo.mark_dynamic(x, 0)
    return xs


FIXES = {
    "mark_dynamic": {"calls": marked},
    "dynamic": {"dynamic": True},
}
