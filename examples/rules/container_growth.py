"""A function keeps what it saw in a global list."""

import torch

from dynprobe import Call

SEEN = []


def before(x):
    SEEN.append(x.sum())
    return x + len(SEEN)


def start():
    SEEN.clear()
    COUNT.zero_()


def calls():
    x = torch.ones(3)
    return [Call((x,), before=start), x, x, x]


COUNT = torch.tensor(0)


def counted(x):
    COUNT.add_(1)
    return x + COUNT


def outside(x, seen):
    return x + seen


def kept():
    """As a loop around the compiled function would: it keeps what it is given back."""
    seen = []
    for _ in range(4):
        seen.append(torch.ones(3).sum())
        yield Call((torch.ones(3), torch.tensor(len(seen))))


def outside_calls():
    return list(kept())


FIXES = {
    "outside": {"target": outside, "calls": outside_calls},
    "tensor": {"target": counted},
}
