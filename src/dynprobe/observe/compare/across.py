"""Whether what torch gave and what jax gave are the same, where the classes differ anyway.

Tensors are compared by shape and value, as wide as the narrower of the two dtypes says: with x64
off, jax holds 64 bits in 32. A number of Python's is an array without dimensions, as jax has it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...report import Difference
from .nodes import MISSING, Data, Node, format_number, shown

# (rtol, atol). Wider than torch's own: a compiled program adds up in another order.
_LOOSE = {2: (2e-2, 1e-2), 4: (1e-4, 1e-5), 8: (1e-6, 1e-7)}
_LENGTHS = {
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "complex64": 4,
    "float64": 8,
    "complex128": 8,
}
_NUMBERS = ("bool", "int", "float", "complex")


def difference(left: Node | None, right: Node | None) -> tuple[Difference | None, str | None]:
    """Where the two part first (`left` is told as `eager`); and what could not be compared."""
    walk = _Across()
    found = next(walk.partings(left or MISSING, right or MISSING, ""), None)
    return found, walk.unsure


class _Across:
    def __init__(self) -> None:
        self.unsure: str | None = None

    def partings(self, left: Node, right: Node, path: str) -> Iterator[Difference]:
        one, two = _as_data(left), _as_data(right)
        if one is not None and two is not None:
            yield from self._tensors(one, two, path)
        elif left.kind == right.kind == "again":  # compared where it was met first
            return
        elif left.kind in ("again", "cut") or right.kind in ("again", "cut"):
            self.unsure = self.unsure or f"{path or 'the result'} was not looked into in full"
        elif (
            left.kind != right.kind
            or len(left.items) != len(right.items)
            or (left.kind == "value" and left.text != right.text)
        ):
            yield Difference(path=path, eager=shown(left), compiled=shown(right))
        else:
            others = dict(right.items)
            for step, child in left.items:
                yield from self.partings(child, others.get(step, MISSING), path + step)

    def _tensors(self, one: Data, two: Data, path: str) -> Iterator[Difference]:
        if one.shape != two.shape:
            yield Difference(path=path, eager=one.aval, compiled=two.aval)
            return
        if one.values is None or two.values is None:
            if one.sum != two.sum or not one.sum:
                self.unsure = f"the values of {one.aval} were not kept"
            return
        found = _apart(one, two, path)
        if found is not None:
            yield found


def _unlike(left: Node, right: Node) -> bool:
    if left.kind != right.kind or len(left.items) != len(right.items):
        return True
    return left.kind == "value" and left.text != right.text


def _as_data(node: Node) -> Data | None:
    if node.data is not None:
        return node.data
    if node.kind != "value" or node.type not in _NUMBERS:
        return None
    try:
        array = np.asarray(ast.literal_eval(node.text))
    except (ValueError, SyntaxError):  # inf, nan
        array = np.asarray(float(node.text))
    return Data(str(array.dtype), array.shape, values=array)


def _apart(one: Data, two: Data, path: str) -> Difference | None:
    assert one.values is not None
    assert two.values is not None
    left, right = _wide(one.values), _wide(two.values)
    rtol, atol = _tolerance(one, two)
    with np.errstate(all="ignore"):
        same = np.isclose(right, left, rtol=rtol, atol=atol, equal_nan=True)
        away = np.abs(right - left).ravel()[~same.ravel()]
    if same.all():
        return None
    first = int(np.flatnonzero(~same.ravel())[0])
    where = path + "".join(f"[{at}]" for at in np.unravel_index(first, left.shape or (1,)))
    finite = away[np.isfinite(away)]
    return Difference(
        path=where if left.shape else path,
        eager=format_number(left.ravel()[first]),
        compiled=format_number(right.ravel()[first]),
        largest=float(finite.max()) if finite.size else float("inf"),
        differ=int((~same).sum()),
        of=int(same.size),
    )


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)


def _tolerance(one: Data, two: Data) -> tuple[float, float]:
    lengths = [n for n in (_LENGTHS.get(one.dtype), _LENGTHS.get(two.dtype)) if n is not None]
    return _LOOSE[min(lengths)] if lengths else (0.0, 0.0)
