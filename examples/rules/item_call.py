"""A number is read out of a tensor."""

import torch


def before(x):
    scale = x.abs().max().item()
    return x / scale


def calls():
    return [torch.arange(1.0, 4.0), torch.arange(2.0, 5.0)]


def keep(x):
    scale = x.abs().max()
    return x / scale


def capture():
    torch._dynamo.config.capture_scalar_outputs = True


FIXES = {
    "keep": {"target": keep},
    "capture": {"setup": capture},
}
