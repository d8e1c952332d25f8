"""Sums and the like."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .registry import aten, native


@native(aten.sum.default, aten.sum.dim_IntList)
def sum_(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    from ..bridge.dtypes import jax_dtype

    axis = tuple(dim) if dim else None
    return jnp.sum(
        a, axis=axis, keepdims=keepdim, dtype=None if dtype is None else jax_dtype(dtype)
    )
