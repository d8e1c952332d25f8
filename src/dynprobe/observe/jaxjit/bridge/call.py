"""A whole function through the bridge: values of jax in, values of jax out."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import torch

from .boxes import Box
from .mode import BridgeMode, Used
from .tensor import JaxTensor
from .values import to_jax, to_torch

_NUMBERS = (bool, int, float, complex)


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Opened:
    """A dataclass, which jax does not know, taken apart."""

    cls: Any
    names: tuple[str, ...]
    values: tuple[Any, ...]

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[Any, tuple[str, ...]]]:
        return self.values, (self.cls, self.names)

    @classmethod
    def tree_unflatten(cls, aux: tuple[Any, tuple[str, ...]], values: Any) -> Opened:
        opened, names = aux
        return cls(opened, names, tuple(values))

    def closed(self) -> Any:
        """An object of the class, made without its `__init__`."""
        made = self.cls.__new__(self.cls)
        for name, value in zip(self.names, self.values, strict=True):
            if isinstance(made, dict):
                made[name] = value
            object.__setattr__(made, name, value)
        for field in dataclasses.fields(self.cls):  # those that a dict leaves out are None
            if field.name not in self.names:
                object.__setattr__(made, field.name, None)
        return made


def _is_opened(value: Any) -> bool:
    return isinstance(value, Opened)


class Bridged:
    """`function` as jax can call it. `arguments` are what jax is given for torch's; `traced` is
    the function that `jax.jit` gets, `traces` how often it ran; `plain` turns what it gave into
    torch's again."""

    def __init__(self, function: Callable[..., Any], *, concrete: bool = False) -> None:
        self._function = function
        self._concrete = concrete
        self._dtypes: list[torch.dtype | None] = []
        self.used = Used()
        self.opened: dict[str, None] = {}
        self.traces = 0
        self.traced = self._traced()

    def arguments(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """`args` and `kwargs` with jax arrays for tensors. To be called before each call: the
        torch dtypes are remembered for the trace that may come of it."""
        opened = jax.tree_util.tree_map(self._opened, (args, kwargs), is_leaf=_is_data)
        leaves = jax.tree_util.tree_leaves(opened)
        self._dtypes = [leaf.dtype if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
        given: tuple[Any, dict[str, Any]] = jax.tree_util.tree_map(_to_jax, opened)
        return given

    def _traced(self) -> Callable[..., Any]:
        def traced(*args: Any, **kwargs: Any) -> Any:
            self.traces += 1
            return self._run(args, kwargs)

        try:
            functools.update_wrapper(traced, self._function)
            traced.__signature__ = inspect.signature(self._function)  # type: ignore[attr-defined]
        except (TypeError, ValueError, AttributeError):
            pass
        return traced

    def _run(self, args: Any, kwargs: dict[str, Any]) -> Any:
        mode = BridgeMode(self.used)
        given, named = self._as_torch((args, kwargs))
        with mode, torch.compiler.set_stance("force_eager"):
            result = self._function(*given, **named)
            found = jax.tree_util.tree_map(self._opened, result, is_leaf=_is_data)
            values = jax.tree_util.tree_map(lambda leaf: _out(mode, leaf), found)
        if self._concrete:
            mode.write_back()
        return values

    def _as_torch(self, given: Any) -> Any:
        leaves, shape = jax.tree_util.tree_flatten(given)
        dtypes = self._dtypes if len(self._dtypes) == len(leaves) else [None] * len(leaves)
        held = [_held(leaf, dtype) for leaf, dtype in zip(leaves, dtypes, strict=True)]
        back = jax.tree_util.tree_unflatten(shape, held)
        return jax.tree_util.tree_map(_closed, back, is_leaf=_is_opened)

    def _opened(self, leaf: Any) -> Any:
        if not _is_data(leaf):
            return leaf
        names = tuple(f.name for f in dataclasses.fields(leaf))
        names = tuple(n for n in names if not isinstance(leaf, dict) or n in leaf)
        self.opened[type(leaf).__qualname__] = None
        inner = (getattr(leaf, name) for name in names)
        mapped = (jax.tree_util.tree_map(self._opened, v, is_leaf=_is_data) for v in inner)
        return Opened(type(leaf), names, tuple(mapped))

    def plain(self, result: Any) -> Any:
        """What jax gave, as torch's tensors and the classes it had."""
        back = jax.tree_util.tree_map(_to_torch, result)
        return jax.tree_util.tree_map(_closed, back, is_leaf=_is_opened)


def _is_data(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, (type, Opened))


def _closed(value: Any) -> Any:
    if not _is_opened(value):
        return value
    values = tuple(jax.tree_util.tree_map(_closed, v, is_leaf=_is_opened) for v in value.values)
    return Opened(value.cls, value.names, values).closed()


def _to_jax(leaf: Any) -> Any:
    return to_jax(leaf) if isinstance(leaf, torch.Tensor) else leaf


def _to_torch(leaf: Any) -> Any:
    return to_torch(leaf) if isinstance(leaf, jax.Array) else leaf


def _held(leaf: Any, dtype: torch.dtype | None) -> Any:
    """What the torch function gets for a value of jax: a tensor for an array that was one, and for
    a number that jax traces."""
    if dtype is not None:
        return JaxTensor(Box(leaf), torch.empty(leaf.shape, dtype=dtype, device="meta"))
    if isinstance(leaf, jax.core.Tracer) and leaf.ndim == 0 and getattr(leaf, "weak_type", False):
        kind = {"b": torch.bool, "i": torch.int64, "f": torch.get_default_dtype()}
        meta_dtype = kind.get(leaf.dtype.kind, torch.complex64)
        return JaxTensor(Box(leaf), torch.empty((), dtype=meta_dtype, device="meta"))
    if isinstance(leaf, jax.core.Tracer) and leaf.dtype == np.bool_ and leaf.ndim == 0:
        return JaxTensor(Box(leaf), torch.empty((), dtype=torch.bool, device="meta"))
    return leaf


def _out(mode: BridgeMode, leaf: Any) -> Any:
    return mode.lift(leaf).value if isinstance(leaf, torch.Tensor) else leaf
