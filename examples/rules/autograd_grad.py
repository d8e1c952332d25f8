"""A gradient is a step of the computation."""

import torch


def before(x):
    (slope,) = torch.autograd.grad((x * x).sum(), x)
    return slope + 1


def calls():
    return [torch.ones(3, requires_grad=True)]


def func(x):
    return torch.func.grad(lambda x: (x * x).sum())(x) + 1


def trace():
    torch._dynamo.config.trace_autograd_ops = True


FIXES = {
    "func": {"target": func},
    "trace": {"setup": trace},
}
