"""A warm-up call outside autocast, then the calls that count inside it."""

import torch

from dynprobe import Call


def autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def before(x):
    return (x @ x).sum().float()


def calls():
    x = torch.ones(2, 2)
    return [Call((x,)), Call((x,), around=autocast), Call((x,), around=autocast)]


def inside(x):
    with autocast():
        return (x @ x).sum().float()


def inside_calls():
    return [torch.ones(2, 2)] * 3


def around():
    return [Call((torch.ones(2, 2),), around=autocast)] * 3


FIXES = {
    "inside": {"target": inside, "calls": inside_calls},
    "around": {"calls": around},
}
