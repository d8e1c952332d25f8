"""A program text is compiled on the way."""

import torch


def before(x, rule):
    code = compile(rule, "rule", "eval")
    return torch.sin(x) * len(code.co_names)


def calls():
    return [((torch.ones(3), "a + b"), {})]


def given(x, names):
    return torch.sin(x) * names


def compiled_before():
    return [((x, len(compile(rule, "rule", "eval").co_names)), {}) for (x, rule), _ in calls()]


FIXES = {
    "outside": {"target": given, "calls": compiled_before},
}
