"""A history of another length on every call."""

import torch


def before(x, history):
    return x + torch.stack(history).sum(0)


def calls():
    return [((torch.ones(3), [torch.ones(3) for _ in range(n)]), {}) for n in (2, 3, 4)]


def stacked(x, history):
    return x + history.sum(0)


def stacked_calls():
    return [((torch.ones(3), torch.ones(n, 3)), {}) for n in (2, 3, 4)]


def padded():
    def pad(n):
        return [torch.ones(3) for _ in range(n)] + [torch.zeros(3) for _ in range(8 - n)]

    return [((torch.ones(3), pad(n)), {}) for n in (2, 3, 4)]


FIXES = {
    "stack": {"target": stacked, "calls": stacked_calls, "dynamic": True},
    "pad": {"calls": padded},
}
