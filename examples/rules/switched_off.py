"""One call passes no tensor: after it the function runs eagerly for good."""

import torch


def before(x):
    return None if x is None else x * 2


def calls():
    x = torch.ones(3)
    return [x, None, x]


def apart():
    return [x for x in calls() if x is not None]


FIXES = {
    "apart": {"calls": apart, "same": False},  # one call fewer
}
