"""Operations on tensors without data: what torch says of shapes, strides and dtypes."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map

from ...dynamo.taps.outside import outside_modes
from .dtypes import is_narrowed
from .tensor import JaxTensor

_META = torch.device("meta")


class NotBridged(Exception):  # noqa: N818 - an answer more than an error
    """The bridge cannot answer an operation: what it says is no fact about jax."""


def as_meta(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same type, without data."""
    with outside_modes():
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=_META)


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


def check_readable(func: Any, base: JaxTensor, found: Any) -> None:
    """Views of the memory itself are read only where a jax value tells of it."""
    if func is torch.ops.aten.as_strided.default:
        meta = base.meta
        if meta.storage_offset() or not meta.is_contiguous():
            raise NotBridged("as_strided of a view that is not contiguous")
        last = sum((n - 1) * s for n, s in zip(found.size(), found.stride(), strict=True))
        if found.numel() and found.storage_offset() + last >= meta.numel():
            raise NotBridged("as_strided beyond the tensor that it is given")
    if func is torch.ops.aten.view.dtype and (
        is_narrowed(base.meta.dtype) or is_narrowed(found.dtype)
    ):
        raise NotBridged("a view of the bits of a type that jax, as it is set, does not hold")
