"""The last way to answer an operator: torch's own kernel, called when the program runs."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from ...dynamo.taps.outside import outside_modes
from .dtypes import jax_dtype
from .tensor import JaxTensor
from .values import to_array, to_torch


def through_callback(func: Any, args: Any, kwargs: dict[str, Any], metas: Any) -> Any:
    """The values of the result, whose types are `metas`."""
    leaves, shape = tree_flatten((args, kwargs))
    at = [n for n, leaf in enumerate(leaves) if isinstance(leaf, JaxTensor)]
    kinds = [leaves[n].meta for n in at]

    def kernel(*values: Any) -> Any:
        given = list(leaves)
        for n, meta, value in zip(at, kinds, values, strict=True):
            given[n] = _placed(to_torch(np.asarray(value), meta.dtype), meta)
        plain, named = tree_unflatten(given, shape)
        with outside_modes(), torch.no_grad():
            found = func(*plain, **named)
            return tree_map(_array, found, wanted)

    wanted = tree_map(_struct, metas)
    return jax.pure_callback(kernel, wanted, *(leaves[n].value for n in at))


def _array(tensor: torch.Tensor | None, wanted: Any) -> Any:
    """A kernel gives none where it has nothing to tell: a workspace that it did not need."""
    if tensor is None:
        return np.zeros(wanted.shape, wanted.dtype)
    return to_array(tensor)


def _struct(meta: torch.Tensor) -> Any:
    return jax.ShapeDtypeStruct(tuple(meta.shape), jax_dtype(meta.dtype))


def _placed(tensor: torch.Tensor, meta: torch.Tensor) -> torch.Tensor:
    """With the strides that the user's tensor would have."""
    if tensor.stride() == meta.stride():
        return tensor
    for dim, (size, stride) in enumerate(zip(meta.size(), meta.stride(), strict=True)):
        if size > 1 and not stride:  # expanded: its elements are one and the same
            tensor = tensor.narrow(dim, 0, 1)
    placed = torch.empty_strided(tensor.size(), meta.stride(), dtype=meta.dtype)
    try:
        return placed.copy_(tensor).expand(meta.size())
    except RuntimeError:  # overlapping in another way: no strides that could be written
        return tensor.expand(meta.size())
