"""The dtype to compute in, as an argument."""

import torch


def before(x, dtype):
    return torch.sin(x.to(dtype)).float()


def sine(x):
    return torch.sin(x).float()


def calls():
    return [((torch.ones(3), dtype), {}) for dtype in (torch.float64, torch.float32)]


def before_the_call():
    return [x.to(dtype).float() for (x, dtype), _ in calls()]


COMPILED = {}


def isolate():
    for dtype in (torch.float64, torch.float32):
        COMPILED[dtype] = torch.compile(before, backend="eager", isolate_recompiles=True)


@torch.compiler.disable
def each(x):
    return [compiled(x, dtype) for dtype, compiled in COMPILED.items()]


def isolated(x):
    return each(x)


def all_at_once():
    return [torch.ones(3)]


FIXES = {
    "before": {"target": sine, "calls": before_the_call},
    "isolate": {
        "setup": isolate,
        "target": isolated,
        "calls": all_at_once,
        "same": False,  # one call for all
    },
}
