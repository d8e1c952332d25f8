"""A list is made of a tensor's elements."""

import torch


def before(x, counts):
    return [x * count for count in counts.tolist()]


def calls():
    return [((torch.ones(3), torch.tensor([1, 2])), {})]


def unbind(x, counts):
    return [x * count for count in counts.unbind()]


def capture():
    torch._dynamo.config.capture_scalar_outputs = True


FIXES = {
    "unbind": {"target": unbind},
    "capture": {"setup": capture},
}
