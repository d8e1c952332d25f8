"""Queries and keys that are equally many on the first call only."""

import torch
from torch.fx.experimental import _config as shapes


def before(queries, keys):
    return torch.sin(queries) + torch.cos(keys).sum()


def calls():
    return [((torch.ones(n), torch.ones(m)), {}) for n, m in ((4, 4), (5, 5), (5, 6))]


def marked():
    made = calls()
    for (_, keys), _ in made:
        torch._dynamo.mark_dynamic(keys, 0)
    return made


def no_duck_shape():
    shapes.use_duck_shape = False


OPTIONS = {"dynamic": True}
FIXES = {
    "mark_dynamic": {"calls": marked},
    "use_duck_shape": {"setup": no_duck_shape},
}
