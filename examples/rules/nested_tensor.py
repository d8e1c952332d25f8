"""A nested tensor of the first layout, strided."""

import torch


def before(x):
    return torch.sin(x) + 1


def calls():
    return [torch.nested.nested_tensor([torch.ones(3), torch.ones(2)])]


def jagged():
    return [torch.nested.nested_tensor([torch.ones(3), torch.ones(2)], layout=torch.jagged)]


FIXES = {
    "jagged": {"calls": jagged, "same": False},  # another layout cannot be compared with it
}
