"""A sparse matrix in a compiled function."""

import torch

MATRIX = torch.eye(3).to_sparse()


def before(x):
    return torch.mv(MATRIX, torch.sin(x)) + 1


def calls():
    return [torch.ones(3)]


@torch.library.custom_op("dynprobe_examples::times_matrix", mutates_args=())
def times_matrix(x: torch.Tensor) -> torch.Tensor:
    return torch.mv(MATRIX, x)


@times_matrix.register_fake
def _(x):
    return torch.empty_like(x)


def custom_op(x):
    return times_matrix(torch.sin(x)) + 1


FIXES = {
    "custom_op": {"target": custom_op},
}
