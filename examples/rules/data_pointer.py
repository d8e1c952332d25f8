"""A function that looks where its tensors lie."""

import torch


def before(x, y):
    z = torch.sin(x)
    return z + y if x.data_ptr() == y.data_ptr() else z


def calls():
    return [((torch.ones(3), torch.ones(3)), {})]


def outside(x, y, shared):
    z = torch.sin(x)
    return z + y if shared else z


def asked():
    return [((x, y, x.data_ptr() == y.data_ptr()), {}) for x, y in [(torch.ones(3), torch.ones(3))]]


FIXES = {
    "outside": {"target": outside, "calls": asked},
}
