"""Another class is passed on each call, to choose what is done."""

import torch


class Double:
    pass


class Shift:
    pass


def before(x, kind):
    return x * 2 if kind is Double else x + 1


def calls():
    return [((torch.ones(3), kind), {}) for kind in (Double, Shift, Double)]


COMPILED = {
    kind: torch.compile(before, backend="eager", isolate_recompiles=True)
    for kind in (Double, Shift)
}


@torch.compiler.disable
def each(x):
    return [compiled(x, kind) for kind, compiled in COMPILED.items()]


def isolated(x):
    return each(x)


def all_at_once():
    return [torch.ones(3)]


FIXES = {
    "isolate": {"target": isolated, "calls": all_at_once, "same": False},  # one call for both
}
