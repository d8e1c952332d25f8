"""A batch that has a key on some calls only."""

import torch


def before(batch):
    x = torch.sin(batch["x"])
    return x + batch["bias"] if "bias" in batch else x


def calls():
    x = torch.ones(3)
    return [(({"x": x},), {}), (({"x": x, "bias": torch.ones(3)},), {}), (({"x": x},), {})]


def same(batch):
    return torch.sin(batch["x"]) + batch["bias"]


def same_calls():
    zeros, ones = torch.zeros(3), torch.ones(3)
    return [(({"x": torch.ones(3), "bias": bias},), {}) for bias in (zeros, ones, zeros)]


FIXES = {
    "same": {"target": same, "calls": same_calls},
}
