"""Features that were computed under inference mode."""

import torch


def before(x):
    return torch.sin(x) + 1


def features(mode):
    with mode():
        return torch.ones(3) * 2


def calls():
    return [features(torch.no_grad), features(torch.inference_mode)]


def under_no_grad():
    return [features(torch.no_grad), features(torch.no_grad)]


def cloned():
    return [x.clone() for x in calls()]


FIXES = {
    "no_grad": {"calls": under_no_grad},
    "clone": {"calls": cloned},
}
