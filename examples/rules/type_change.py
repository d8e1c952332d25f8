"""An int where a float was."""

import torch


def before(x, scale):
    return x * scale


def calls():
    return [((torch.ones(3), scale), {}) for scale in (2.0, 2, 2.0)]


def floats():
    return [((x, float(scale)), {}) for (x, scale), _ in calls()]


FIXES = {
    "one_type": {"calls": floats},
}
