"""A tensor on another device; the meta device stands for a second one."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.ones(3), torch.ones(3, device="meta"), torch.ones(3)]


def moved():
    return [torch.empty_like(x, device="meta") for x in calls()]


FIXES = {
    "move": {"calls": moved, "same": False},  # the results are on that device too
}
