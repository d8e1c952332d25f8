"""What is in a set decides what is captured: no rule knows more."""

import torch


def before(x, features):
    return x * 2 if "double" in features else x + 1


def calls():
    return [((torch.ones(3), features), {}) for features in ({"double"}, {"shift"})]


FIXES = {}
