"""A gain above a threshold takes another way."""

import torch


def before(x, gain):
    if gain > 0.75:
        return x * 2
    return x + 1


def where(x, gain):
    return torch.where(gain > 0.75, x * 2, x + 1)


def calls():
    return [((torch.ones(3), gain), {}) for gain in (0.5, 0.8, 0.6, 0.9)]


def tensors():
    return [((x, torch.tensor(gain)), {}) for (x, gain), _ in calls()]


OPTIONS = {"dynamic": True}
FIXES = {
    "where": {"target": where, "calls": tensors},
}
