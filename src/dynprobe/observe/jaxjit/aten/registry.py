"""The tables of operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

import torch

Function = TypeVar("Function", bound=Callable[..., Any])
aten = torch.ops.aten

NATIVE: dict[Any, Callable[..., Any]] = {}
"""Operator → function of jax. It takes the operator's own arguments, with jax values for tensors
(of the dtype that jax holds), dtypes and all else as torch has them, and gives a jax value, or a
tuple of them, of the result's shape. The result's dtype is put right by the caller. It must not
change anything: operators that do are answered by their functional form."""

VIEWS: dict[Any, Callable[..., Any]] = {}
"""Operator that gives a view → function of jax that reads it out of the base's value, by picking
and reordering elements."""

PUTS: dict[Any, Callable[..., Any]] = {}
"""For views that do more (`real`, `view.dtype`, `_conj`): `(base, new, *args) → base`, the base's
value once the view was set to `new`."""

PYTHON: dict[Any, Callable[..., Any]] = {}
"""Operators that give something of Python's (`equal`): their function's result is given as it
is."""

WANTS_OUT: set[Any] = set()
"""Natives that get `out=`, the result's torch type: a tensor without data, or a tuple of them."""

_FAMILIES = (
    "pointwise", "reductions", "linear", "views", "indexing", "shapes", "nn", "norms", "creation",
    "sorting", "complex",
)  # fmt: skip


def native(*operators: Any, out: bool = False) -> Callable[[Function], Function]:
    """Puts a function into `NATIVE`. Operators that this torch lacks are given as text
    (`"add.Tensor"`) and left out."""

    def put(function: Function) -> Function:
        for operator in _existing(operators):
            NATIVE[operator] = function
            if out:
                WANTS_OUT.add(operator)
        return function

    return put


def view(*operators: Any, put: Callable[..., Any] | None = None) -> Callable[[Function], Function]:
    """The same for `VIEWS` (and `PUTS`)."""

    def add(function: Function) -> Function:
        for operator in _existing(operators):
            VIEWS[operator] = function
            if put is not None:
                PUTS[operator] = put
        return function

    return add


def python(*operators: Any) -> Callable[[Function], Function]:
    """The same for `PYTHON`."""

    def add(function: Function) -> Function:
        PYTHON.update((operator, function) for operator in _existing(operators))
        return function

    return add


def _existing(operators: tuple[Any, ...]) -> list[Any]:
    found = (named(o) if isinstance(o, str) else o for o in operators)
    return [operator for operator in found if operator is not None]


def named(text: str) -> Any | None:
    """`add.Tensor` → the operator; None where this torch has none of that name."""
    name, _, overload = text.partition(".")
    packet = getattr(aten, name, None)
    return None if packet is None else getattr(packet, overload or "default", None)


@cache
def load_tables() -> None:
    """Imports the families: the tables are then full."""
    for family in _FAMILIES:
        import_module(f"{__package__}.{family}")


@cache
def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """torch's own, of operators that have no native."""
    from torch._decomp import core_aten_decompositions, decomposition_table

    return {**decomposition_table, **core_aten_decompositions()}
