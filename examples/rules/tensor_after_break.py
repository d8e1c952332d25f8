"""A batch in another dtype, and a graph break before the last operation."""

import torch


def before(x):
    y = torch.sin(x)
    torch._dynamo.graph_break()
    return torch.cos(y).float()


def without_break(x):
    return torch.cos(torch.sin(x)).float()


def calls():
    return [torch.ones(3, dtype=dtype) for dtype in (torch.float32, torch.float64)]


FIXES = {
    "mend": {"target": without_break, "recompiles": 1},
}
