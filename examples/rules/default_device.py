"""The default device is set after the first call."""

import torch

from dynprobe import Call


def before(x):
    return x + torch.ones(3)


def set_device():
    torch.set_default_device("cpu")


def unset_device():
    torch.set_default_device(None)


def calls():
    x = torch.ones(3)
    return [Call((x,)), Call((x,), before=set_device), Call((x,), before=unset_device)]


def once():
    return [torch.ones(3)] * 3


def explicit(x):
    return x + torch.ones(3, device=x.device)


FIXES = {
    "once": {"setup": unset_device, "calls": once},
    "explicit": {"target": explicit, "calls": once},
}
