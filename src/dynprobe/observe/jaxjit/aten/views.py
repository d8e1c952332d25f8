"""Views of another tensor."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .registry import view


@view("detach", "alias", "detach.default", "alias.default", "lift_fresh")
def same(a: Any) -> Any:
    return a


@view("t", "numpy_T")
def t(a: Any) -> Any:
    return a.T


@view("transpose.int")
def transpose(a: Any, dim0: int, dim1: int) -> Any:
    return jnp.swapaxes(a, dim0, dim1) if a.ndim else a


@view("permute")
def permute(a: Any, dims: Any) -> Any:
    return jnp.transpose(a, tuple(d % a.ndim for d in dims) if a.ndim else ())


@view("select.int")
def select(a: Any, dim: int, index: int) -> Any:
    return jax.lax.index_in_dim(a, index, axis=dim, keepdims=False)


@view("slice.Tensor")
def sliced(
    a: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    at = [slice(None)] * a.ndim
    at[dim] = slice(start, end, step)
    return a[tuple(at)]


@view("narrow")
def narrow(a: Any, dim: int, start: int, length: int) -> Any:
    first = start % a.shape[dim] if a.shape[dim] and start < 0 else start
    return jax.lax.slice_in_dim(a, first, first + length, axis=dim)


@view("split.Tensor")
def split(a: Any, split_size: int, dim: int = 0) -> Any:
    whole = a.shape[dim]
    if not split_size:
        return [a]
    starts = range(0, whole, split_size) if whole else (0,)
    return [jax.lax.slice_in_dim(a, s, min(s + split_size, whole), axis=dim) for s in starts]


@view("split_with_sizes")
def split_with_sizes(a: Any, sizes: Any, dim: int = 0) -> Any:
    ends = np.cumsum(sizes)
    ranges = zip(sizes, ends, strict=True)
    return [jax.lax.slice_in_dim(a, int(e) - s, int(e), axis=dim) for s, e in ranges]


@view("unbind.int")
def unbind(a: Any, dim: int = 0) -> Any:
    return [select(a, dim, at) for at in range(a.shape[dim])]


@view("squeeze", "squeeze.dim", "squeeze.dims")
def squeeze(a: Any, dim: Any = None) -> Any:
    if dim is None:
        return jnp.squeeze(a)
    dims = [dim] if isinstance(dim, int) else dim
    wanted = {d % a.ndim for d in dims} if a.ndim else set()
    return jnp.squeeze(a, axis=tuple(d for d in wanted if a.shape[d] == 1))


@view("unsqueeze")
def unsqueeze(a: Any, dim: int) -> Any:
    return jnp.expand_dims(a, dim)


@view("diagonal")
def diagonal(a: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return jnp.diagonal(a, offset, dim1, dim2)


@view("expand")
def expand(a: Any, size: Any, *, implicit: bool = False) -> Any:
    del implicit
    new = len(size) - a.ndim
    wanted = [a.shape[n - new] if s == -1 else s for n, s in enumerate(size)]
    return jnp.broadcast_to(a, tuple(wanted))


@view("unfold")
def unfold(a: Any, dimension: int, size: int, step: int) -> Any:
    if not a.ndim:
        return a.reshape(1)[:size]
    starts = np.arange(0, a.shape[dimension] - size + 1, step)
    windows = jnp.moveaxis(a, dimension, -1)[..., starts[:, None] + np.arange(size)]
    return jnp.moveaxis(windows, -2, dimension)


@view("view", "_unsafe_view", "_reshape_alias")
def reshaped(a: Any, size: Any, stride: Any = None) -> Any:
    del stride
    return a.reshape(tuple(size))


@view("as_strided")
def as_strided(a: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Of a contiguous tensor; the bridge lets no other come here."""
    at = np.full(tuple(size), storage_offset or 0)
    for dim, (n, s) in enumerate(zip(size, stride, strict=True)):
        at = at + np.arange(n).reshape([-1 if d == dim else 1 for d in range(len(size))]) * s
    return a.reshape(-1)[at]


def _bits_back(base: Any, new: Any, dtype: Any) -> Any:
    del dtype
    return new.view(base.dtype)


@view("view.dtype", put=_bits_back)
def bits(a: Any, dtype: Any) -> Any:
    from ..bridge.dtypes import jax_dtype

    return a.view(jax_dtype(dtype))
