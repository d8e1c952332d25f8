"""Views of another tensor."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .registry import aten, view


@view(aten.detach.default, aten.alias.default)
def same(a: Any) -> Any:
    return a


@view(aten.t.default)
def t(a: Any) -> Any:
    return a.T


@view(aten.select.int)
def select(a: Any, dim: int, index: int) -> Any:
    return jnp.take(a, index % a.shape[dim], axis=dim)


@view(aten.view.default, aten._unsafe_view.default)
def reshaped(a: Any, size: Any) -> Any:
    return a.reshape(tuple(size))
