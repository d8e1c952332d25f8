"""The first call prints in a loop and is given up; the calls after it, which do not, pay for it."""

import torch

from dynprobe import Call

COMMAND = ["--alone"]


def before(x, verbose):
    y = x * 2
    if verbose:
        for part in y:
            print("part", part)
    return y.relu()


def calls():
    return [Call((torch.ones(3), verbose)) for verbose in (True, False, False)]


def eagerly():
    return torch.compiler.set_stance("force_eager")


def stance():
    first, *others = calls()
    return [Call(first.args, around=eagerly), *others]


@torch.compiler.disable
def say(parts):
    for part in parts:
        print("part", part)


def apart(x, verbose):
    y = x * 2
    if verbose:
        say(y)
    return y.relu()


FIXES = {
    "stance": {"calls": stance},
    "apart": {"target": apart, "recompiles": 1},  # another path for another value of `verbose`
}
