"""Products of matrices."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from .registry import aten, native


@native(aten.mm.default, aten.bmm.default, aten.mv.default, aten.dot.default)
def matmul(a: Any, b: Any) -> Any:
    return jnp.matmul(a, b)


@native(aten.addmm.default)
def addmm(bias: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return beta * bias + alpha * jnp.matmul(a, b)
