"""torch's dtypes and jax's."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import torch

_PAIRS: dict[torch.dtype, Any] = {
    torch.bool: jnp.bool_,
    torch.uint8: jnp.uint8,
    torch.int8: jnp.int8,
    torch.int16: jnp.int16,
    torch.int32: jnp.int32,
    torch.int64: jnp.int64,
    torch.uint16: jnp.uint16,
    torch.uint32: jnp.uint32,
    torch.uint64: jnp.uint64,
    torch.float16: jnp.float16,
    torch.bfloat16: jnp.bfloat16,
    torch.float32: jnp.float32,
    torch.float64: jnp.float64,
    torch.complex64: jnp.complex64,
    torch.complex128: jnp.complex128,
    torch.float8_e4m3fn: jnp.float8_e4m3fn,
    torch.float8_e5m2: jnp.float8_e5m2,
}
_BACK = {jnp.dtype(theirs): ours for ours, theirs in _PAIRS.items()}


def jax_dtype(dtype: torch.dtype) -> Any:
    """What jax holds of `dtype`: with x64 off, 64 bits become 32. Raises KeyError where jax has
    none."""
    return jax.dtypes.canonicalize_dtype(_PAIRS[dtype])


def torch_dtype(dtype: Any) -> torch.dtype:
    """Raises KeyError where torch has none."""
    return _BACK[jnp.dtype(dtype)]


def is_narrowed(dtype: torch.dtype) -> bool:
    """Whether jax, as it is set, holds fewer bits than torch."""
    return bool(jnp.dtype(jax_dtype(dtype)).itemsize < dtype.itemsize)
