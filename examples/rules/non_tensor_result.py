"""torch is asked for a number about the machine."""

import torch


def before(x):
    return torch.sin(x) + torch.get_num_threads()


def calls():
    return [torch.ones(3)]


def given(x, threads):
    return torch.sin(x) + threads


def asked():
    return [((x, torch.get_num_threads()), {}) for x in calls()]


FIXES = {
    "outside": {"target": given, "calls": asked},
}
