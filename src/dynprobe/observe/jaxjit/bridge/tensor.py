"""The tensor that holds a jax value. To the user's code it is a `torch.Tensor` on the CPU; what
asks for its value as a Python object asks jax."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .boxes import Box, ViewBox

_T = torch.Tensor


def _item(value: Any) -> Any:
    return value.item()


# What turns a tensor into something of Python's. jax raises its own error for a traced value.
CONVERSIONS: dict[Any, Callable[..., Any]] = {
    _T.__bool__: bool,
    _T.__int__: int,
    _T.__float__: float,
    _T.__complex__: complex,
    _T.__index__: operator.index,
    _T.item: _item,
    _T.tolist: lambda value: value.tolist(),
    _T.numpy: lambda value, **_: np.array(value),  # a copy: jax's own is read-only
    _T.__array__: lambda value, dtype=None: np.asarray(value, dtype),
    _T.__repr__: lambda value, **_: repr(value),
    _T.__format__: lambda value, spec: format(value, spec),
}


class JaxTensor(torch.Tensor):  # type: ignore[misc]  # torch is Any to mypy here
    """`box` has the jax value (of the dtype that jax holds), `meta` the tensor's torch type:
    shape, strides and dtype of a tensor without data."""

    box: Box | ViewBox
    meta: torch.Tensor

    @staticmethod
    def __new__(cls, box: Box | ViewBox, meta: torch.Tensor) -> JaxTensor:
        self: JaxTensor = torch.Tensor._make_wrapper_subclass(
            cls, meta.size(), strides=meta.stride(), dtype=meta.dtype, device="cpu"
        )
        self.box = box
        self.meta = meta
        return self

    @property
    def value(self) -> Any:
        """The jax value now."""
        return self.box.value

    def __deepcopy__(self, memo: dict[int, Any]) -> JaxTensor:
        copied = JaxTensor(Box(self.value), self.meta)
        memo[id(self)] = copied
        copied.requires_grad_(self.requires_grad)
        return copied

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        convert = CONVERSIONS.get(func)
        if convert is not None and isinstance(args[0], JaxTensor):
            return convert(args[0].value, *args[1:], **(kwargs or {}))
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        from .mode import BridgeMode

        with BridgeMode() as mode:  # one that outlived the call it was made in
            return mode.run(func, args, kwargs or {})
