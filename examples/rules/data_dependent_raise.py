"""A check of values that raises."""

import torch


def before(x):
    y = torch.sin(x)
    if torch.isnan(y).any():
        raise ValueError("not a number")
    return y + 1


def calls():
    return [torch.ones(3)]


def asserted(x):
    y = torch.sin(x)
    torch._assert_async(~torch.isnan(y).any(), "not a number")
    return y + 1


FIXES = {
    "assert": {"target": asserted},
}
