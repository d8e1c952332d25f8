"""Python sorts tensors."""

import torch


def before(x):
    return sorted([x.sum(), x.mean(), x.max()])[1] * x


def calls():
    return [torch.arange(3.0)]


def torch_sort(x):
    return torch.stack([x.sum(), x.mean(), x.max()]).sort().values[1] * x


FIXES = {
    "sort": {"target": torch_sort},
}
