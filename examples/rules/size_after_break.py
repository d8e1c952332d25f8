"""A batch whose size changes, and a graph break before the last operation."""

import torch


def before(x):
    y = torch.sin(x)
    torch._dynamo.graph_break()
    return torch.cos(y) + 1


def without_break(x):
    return torch.cos(torch.sin(x)) + 1


def calls():
    return [torch.ones(n) for n in (4, 5, 6)]


def marked():
    xs = calls()
    for x in xs:
        torch._dynamo.mark_dynamic(x, 0)
    return xs


FIXES = {
    "mend": {"target": without_break, "calls": marked},
    "dynamic": {"dynamic": True},
}
