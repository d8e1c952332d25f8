"""An assert on values whose message is made when it fails."""

import torch


def before(x):
    y = torch.sin(x)
    assert (y > -2).all(), f"too small: {y}"
    return y + 1


def calls():
    return [torch.ones(3)]


def message(x):
    y = torch.sin(x)
    assert (y > -2).all(), "too small"
    return y + 1


def asserted(x):
    y = torch.sin(x)
    torch._assert_async((y > -2).all(), "too small")
    return y + 1


FIXES = {
    "message": {"target": message},
    "async": {"target": asserted},
}
