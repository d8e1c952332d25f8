"""How large the result is depends on the values."""

import torch


def before(x):
    return x[x > 0].sum()


def calls():
    return [torch.arange(-2.0, 3.0)]


def where(x):
    return torch.where(x > 0, x, 0.0).sum()


def capture():
    torch._dynamo.config.capture_dynamic_output_shape_ops = True


FIXES = {
    "where": {"target": where},
    "capture": {"setup": capture},
}
