"""Element by element."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .registry import aten, native


@native(aten.add.Tensor, aten.add.Scalar)
def add(a: Any, b: Any, alpha: Any = 1) -> Any:
    return a + (b if alpha == 1 else b * alpha)


@native(aten.sub.Tensor, aten.sub.Scalar)
def sub(a: Any, b: Any, alpha: Any = 1) -> Any:
    return a - (b if alpha == 1 else b * alpha)


@native(aten.mul.Tensor, aten.mul.Scalar)
def mul(a: Any, b: Any) -> Any:
    return jnp.multiply(a, b)


@native(aten.gt.Scalar, aten.gt.Tensor)
def gt(a: Any, b: Any) -> Any:
    return jnp.greater(a, b)


@native(aten.sin.default)
def sin(a: Any) -> Any:
    return jnp.sin(a)
