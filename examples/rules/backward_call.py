"""The backward pass runs in the compiled function."""

import torch


def before(x):
    loss = (x * x).sum()
    loss.backward()
    return loss.detach()


def calls():
    return [torch.ones(3, requires_grad=True)]


def forward(x):
    return (x * x).sum()  # the caller runs backward()


def trace():
    torch._dynamo.config.trace_autograd_ops = True


FIXES = {
    "outside": {"target": forward},
    "trace": {"setup": trace},
}
