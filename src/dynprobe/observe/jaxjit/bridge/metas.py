"""Operations on tensors without data: what torch says of shapes, strides and dtypes."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map

from ...dynamo.taps.outside import outside_modes
from .tensor import JaxTensor

_META = torch.device("meta")


def as_meta(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same type, without data."""
    with outside_modes():
        return torch.empty_strided(
            tensor.size(), tensor.stride(), dtype=tensor.dtype, device=_META
        )


def on_meta(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The result's type: a tensor without data, or a tuple or list of them.

    Raises what torch raises for arguments of these types; NotImplementedError where the shape
    hangs on values, or torch has no such form of the operator.
    """
    given, named = tree_map(_meta, (args, kwargs))
    with outside_modes(), torch.no_grad():
        return func(*given, **named)


def _meta(leaf: Any) -> Any:
    if isinstance(leaf, JaxTensor):
        return leaf.meta
    return _META if isinstance(leaf, torch.device) else leaf
