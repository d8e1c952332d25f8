"""Where a tensor's jax value is kept, so that what torch changes in place is dataflow for jax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

Get = Callable[[Any], Any]
Put = Callable[[Any, Any], Any]


class Box:
    """A storage: one jax value, replaced as a whole. `version` counts the replacements. `fixed`
    names the operator that read it as a view, where the base could not be told of a change."""

    __slots__ = ("fixed", "value", "version")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.version = 0
        self.fixed = ""

    def put(self, value: Any) -> None:
        self.value = value
        self.version += 1


class ViewBox:
    """A view of another box: `get` reads it out of the base's value, `put` gives the base's value
    with the view replaced (None: worked out from where `get` reads)."""

    __slots__ = ("_base", "_get", "_put", "_seen", "_seen_version")

    def __init__(self, base: Box | ViewBox, get: Get, put: Put | None) -> None:
        self._base = base
        self._get = get
        self._put = put or indexed_put(get)
        self._seen: Any = None
        self._seen_version = -1

    @property
    def fixed(self) -> str:
        return self._base.fixed

    @property
    def version(self) -> int:
        return self._base.version

    @property
    def value(self) -> Any:
        if self._seen_version != self.version:
            self._seen = self._get(self._base.value)
            self._seen_version = self.version
        return self._seen

    def put(self, value: Any) -> None:
        self._base.put(self._put(self._base.value, value))


def indexed_put(get: Get) -> Put:
    """For a view that only picks and reorders elements: `get` is asked where each comes from."""

    def put(base: Any, new: Any) -> Any:
        import jax

        with jax.ensure_compile_time_eval():
            places = jnp.arange(base.size, dtype=jnp.int32).reshape(base.shape)
            where = np.asarray(get(places)).ravel()
        flat = base.reshape(-1).at[where].set(new.reshape(-1).astype(base.dtype))
        return flat.reshape(base.shape)

    return put
