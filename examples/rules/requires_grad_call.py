"""An argument is made one that needs a gradient."""

import torch


def before(x):
    y = torch.sin(x)
    x.requires_grad_()
    return (x * y).sum()


def calls():
    return [torch.ones(3)]


def after(x):
    y = torch.sin(x.detach())
    return (x * y).sum()


def asked():
    return [torch.ones(3).requires_grad_()]


FIXES = {
    "outside": {"target": after, "calls": asked},
}
