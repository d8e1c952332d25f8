"""A gradient is kept of a tensor in the middle."""

import torch


def before(x):
    y = torch.sin(x)
    y.retain_grad()
    return y * 2, y


def calls():
    return [torch.ones(3, requires_grad=True)]


def outside(x):
    y = torch.sin(x)
    return y * 2, y  # the caller asks y.retain_grad(), or torch.autograd.grad(loss, y)


FIXES = {
    "outside": {"target": outside},
}
