"""Tensors put together, repeated, padded and turned."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .registry import native, python


@native("cat")
def cat(tensors: Any, dim: int = 0) -> Any:
    # torch leaves out empty vectors, whatever the rank of the others
    kept = [t for t in tensors if t.shape != (0,)] or [tensors[0]]
    return jnp.concatenate(kept, axis=dim)


@native("stack")
def stack(tensors: Any, dim: int = 0) -> Any:
    return jnp.stack(tensors, axis=dim)


@native("repeat")
def repeat(a: Any, repeats: Any) -> Any:
    return jnp.tile(a, tuple(repeats))


@native("flip")
def flip(a: Any, dims: Any) -> Any:
    return jnp.flip(a, tuple(dims)) if a.ndim and len(dims) else a


@native("roll")
def roll(a: Any, shifts: Any, dims: Any = ()) -> Any:
    if not a.size:
        return a
    if not dims:
        return jnp.roll(a, shifts[0])
    return jnp.roll(a, tuple(shifts), tuple(dims))


@native("rot90")
def rot90(a: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    return jnp.rot90(a, k, tuple(dims))


@native("constant_pad_nd")
def constant_pad_nd(a: Any, pad: Any, value: Any = 0) -> Any:
    widths = _widths(a, pad)
    # a negative width cuts
    cut = tuple(
        slice(max(-lo, 0), n - max(-hi, 0)) for n, (lo, hi) in zip(a.shape, widths, strict=True)
    )
    grown = [(max(lo, 0), max(hi, 0)) for lo, hi in widths]
    return jnp.pad(a[cut], grown, constant_values=value)


def _widths(a: Any, pad: Any) -> list[tuple[int, int]]:
    """torch's pairs run from the last dimension."""
    pairs = [(pad[n], pad[n + 1]) for n in range(0, len(pad), 2)][::-1]
    return [(0, 0)] * (a.ndim - len(pairs)) + pairs


@native("tril")
def tril(a: Any, diagonal: int = 0) -> Any:
    return jnp.tril(a, diagonal)


@native("triu")
def triu(a: Any, diagonal: int = 0) -> Any:
    return jnp.triu(a, diagonal)


@python("equal")
def equal(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(jnp.all(a == b))


@python("allclose")
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    return bool(jnp.allclose(a, b, rtol, atol, equal_nan))


@native("diag_embed")
def diag_embed(a: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    side = a.shape[-1] + abs(offset)
    rows = jnp.arange(a.shape[-1]) + max(-offset, 0)
    made = jnp.zeros((*a.shape[:-1], side, side), a.dtype)
    made = made.at[..., rows, rows + offset].set(a)
    return jnp.moveaxis(made, (-2, -1), (dim1, dim2))
