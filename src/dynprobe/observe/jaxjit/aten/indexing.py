"""Elements picked and set by tensors of places."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .registry import native


def _checked(index: Any, size: int, *, negative: bool = True) -> Any:
    """Torch raises for a place out of range, jax does not. Of traced places nothing is known."""
    if not isinstance(index, jax.core.Tracer) and index.size:
        low, high = int(np.min(index)), int(np.max(index))
        if high >= size or low < (-size if negative else 0):
            bad = high if high >= size else low
            raise IndexError(f"index {bad} is out of bounds for dimension with size {size}")
    return index


def _places(a: Any, indices: Any) -> tuple[Any, ...]:
    at: list[Any] = []
    dim = 0
    for index in indices:
        if index is None:
            at.append(slice(None))
            dim += 1
        elif index.dtype == jnp.bool_ or index.dtype == jnp.uint8:
            at.append(index.astype(jnp.bool_))
            dim += index.ndim
        else:
            at.append(_checked(index, a.shape[dim]))
            dim += 1
    return tuple(at)


@native("index.Tensor", "_unsafe_index.Tensor")
def index(a: Any, indices: Any) -> Any:
    return a[_places(a, indices)]


@native("index_put", "_unsafe_index_put")
def index_put(a: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    at = a.at[_places(a, indices)]
    values = values.astype(a.dtype)
    return at.add(values) if accumulate else at.set(values)


@native("index_select")
def index_select(a: Any, dim: int, places: Any) -> Any:
    if not a.ndim:
        return a
    return jnp.take(a, _checked(places.reshape(-1), a.shape[dim], negative=False), axis=dim)


def _at(a: Any, dim: int, places: Any) -> Any:
    where: list[Any] = [slice(None)] * a.ndim
    where[dim] = _checked(places.reshape(-1), a.shape[dim])
    return a.at[tuple(where)]


@native("index_add")
def index_add(a: Any, dim: int, places: Any, source: Any, *, alpha: Any = 1) -> Any:
    if not a.ndim:
        return a + alpha * source.reshape(())
    return _at(a, dim, places).add((source * alpha).astype(a.dtype))


@native("index_copy")
def index_copy(a: Any, dim: int, places: Any, source: Any) -> Any:
    return _at(a, dim, places).set(source) if a.ndim else source.reshape(())


@native("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(a: Any, dim: int, places: Any, value: Any) -> Any:
    filled = jnp.asarray(value).astype(a.dtype)
    return _at(a, dim, places).set(filled) if a.ndim else filled


def _grid(a: Any, dim: int, places: Any) -> tuple[Any, ...]:
    at = list(jnp.indices(places.shape, sparse=True))
    at[dim] = _checked(places, a.shape[dim], negative=False)
    return tuple(at)


@native("gather")
def gather(a: Any, dim: int, places: Any, *, sparse_grad: bool = False) -> Any:
    del sparse_grad
    if not a.ndim or not places.ndim:
        return jnp.broadcast_to(a.reshape(-1)[0], places.shape)
    return a[_grid(a, dim, places)]


def _source(places: Any, source: Any, a: Any) -> Any:
    """The part of the source that has places."""
    source = jnp.asarray(source).astype(a.dtype)
    return source[tuple(slice(n) for n in places.shape)] if source.ndim else source


@native("scatter.src", "scatter.value")
def scatter(a: Any, dim: int, places: Any, source: Any) -> Any:
    if not places.size:
        return a
    if not a.ndim:
        return _source(places, source, a).reshape(())
    return a.at[_grid(a, dim, places)].set(_source(places, source, a))


@native("scatter_add")
def scatter_add(a: Any, dim: int, places: Any, source: Any) -> Any:
    if not places.size:
        return a
    if not a.ndim:
        return a + source.reshape(())
    return a.at[_grid(a, dim, places)].add(_source(places, source, a))


@native("masked_select")
def masked_select(a: Any, mask: Any) -> Any:
    a, mask = jnp.broadcast_arrays(a, mask)
    return a[mask]


@native("nonzero")
def nonzero(a: Any) -> Any:
    return jnp.argwhere(a)


@native("take")
def take(a: Any, places: Any) -> Any:
    return a.reshape(-1)[_checked(places, a.size)]


@native("embedding")
def embedding(
    weight: Any,
    places: Any,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    del padding_idx, scale_grad_by_freq, sparse
    return weight[_checked(places, weight.shape[0], negative=False)]
