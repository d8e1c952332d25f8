"""A last batch of one, and an empty one."""

import torch
from torch.fx.experimental import _config as shapes


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(n, 3) for n in (4, 1, 5, 0)]


def unbacked():
    xs = calls()
    torch._dynamo.decorators.mark_unbacked(xs[0], 0)
    return xs


def marked():
    xs = calls()
    torch._dynamo.mark_dynamic(xs[0], 0)
    return xs


def oblivious():
    shapes.backed_size_oblivious = True


FIXES = {
    "mark_unbacked": {"calls": unbacked},
    "oblivious": {"calls": marked, "setup": oblivious},
}
