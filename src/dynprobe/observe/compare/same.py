"""Whether two recorded values are the same, and where they part.

Tolerances are those of `torch.testing.assert_close`: |compiled - eager| ≤ atol + rtol·|eager|, by
the dtype; integers, booleans and texts are compared exactly. NaN equals NaN. Types, shapes, dtypes,
devices and requires_grad are compared before values, strides are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .nodes import MISSING, Data, Node, below, format_number, shown

_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7), "complex32": (1e-3, 1e-5), "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}  # fmt: skip
"""(rtol, atol); Python's floats and complex numbers have those of float64 and complex128."""

_NUMBERS = {"float": "float64", "complex": "complex128"}


@dataclass(frozen=True, slots=True)
class Numbers:
    """How far two arrays are apart: `differ` of `of` elements are beyond tolerance."""

    largest: float
    relative: float
    differ: int
    of: int


@dataclass(frozen=True, slots=True)
class Parting:
    """A place where two values part. `left` and `right` in words."""

    path: str
    left: str
    right: str
    numbers: Numbers | None = None


class Compared:
    """Two trees. `unsure` is set where a part of them could not be compared in full, and says
    why."""

    def __init__(self, left: list[Node], right: list[Node]) -> None:
        self._left = _numbered(left)
        self._right = _numbered(right)
        self._met: set[tuple[int, int]] = set()
        self.unsure: str | None = None

    def partings(self, left: Node, right: Node, path: str = "") -> Iterator[Parting]:
        """All of them, in order."""
        left = self._left.get(left.number, left) if left.kind == "again" else left
        right = self._right.get(right.number, right) if right.kind == "again" else right
        if left.number and right.number:
            if (left.number, right.number) in self._met:
                return
            self._met.add((left.number, right.number))
        if "cut" in (left.kind, right.kind):
            self._cut(left, right)
        elif left.kind != right.kind or left.type != right.type:
            yield Parting(path, _typed(left, right), _typed(right, left))
        elif left.data is not None and right.data is not None:
            yield from self._tensors(left, right, path)
            yield from self._children(left, right, path)
        elif not _same_text(left, right):
            yield Parting(path, *_texts(left, right), _difference(left, right))
        else:
            yield from self._children(left, right, path)

    def _cut(self, left: Node, right: Node) -> None:
        self.unsure = next(node.text for node in (left, right) if node.kind == "cut")

    def _children(self, left: Node, right: Node, path: str) -> Iterator[Parting]:
        if left.kind == "hooks" and _listed(left) != _listed(right):
            yield Parting(path, shown(left), shown(right))
            return
        if left.kind in ("sequence", "set") and len(left.items) != len(right.items):
            yield Parting(path, *_lengths(left, right))
            return
        others = dict(right.items) if left.kind != "set" else {}
        for at, (step, child) in enumerate(left.items):
            other = right.items[at][1] if left.kind == "set" else others.get(step, MISSING)
            yield from self.partings(child, other, path + step)
        mine = {step for step, _ in left.items}
        for step, child in right.items:
            if left.kind != "set" and step not in mine:
                yield from self.partings(MISSING, child, path + step)
        if left.kind == "mapping" and mine == set(others) and _steps(left) != _steps(right):
            yield Parting(path, f"keys {_keys(left)}", f"keys {_keys(right)}")

    def _tensors(self, left: Node, right: Node, path: str) -> Iterator[Parting]:
        one, two = left.data, right.data
        assert one is not None
        assert two is not None
        if one.aval != two.aval:
            yield Parting(path, one.aval, two.aval)
        elif (one.sum != two.sum or not one.sum) and one.device != "meta":
            numbers, whole = numbers_of(one, two)
            if numbers is None:
                self.unsure = f"the values of {one.aval} cannot be read"
            elif numbers.differ:
                yield Parting(path, *_values(left, right), numbers)
            elif not whole:
                self.unsure = f"of {one.aval} a sample was compared"


def _numbered(roots: list[Node]) -> dict[int, Node]:
    return {n.number: n for root in roots for n in below(root) if n.number and n.kind != "again"}


def numbers_of(one: Data, two: Data) -> tuple[Numbers | None, bool]:
    """How far they are apart, and whether that is of all elements. None: nothing to compare."""
    if one.values is not None and two.values is not None:
        return _numbers(one.values, two.values, one.dtype), True
    left, right = _sampled(one, two), _sampled(two, one)
    if left is None or right is None or left.shape != right.shape:
        return None, False
    return _numbers(left, right, one.dtype), False


def _sampled(data: Data, other: Data) -> np.ndarray[Any, Any] | None:
    """The sample; of values that are all there, those at the places of the other's sample."""
    if data.values is None or other.sample is None:
        return data.sample
    flat = data.values.reshape(-1)
    return flat[np.linspace(0, flat.size - 1, other.sample.size).astype(np.int64)]


def _numbers(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any], dtype: str) -> Numbers:
    """`left` is what is expected."""
    exact = left.dtype.kind not in "fc"
    if exact:
        apart = left != right
        if left.dtype.kind == "b":
            left, right = left.astype(np.int64), right.astype(np.int64)
        if left.dtype.kind not in "iu":
            return Numbers(0.0, 0.0, int(apart.sum()), left.size)
    wide = np.complex128 if left.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        one, two = left.astype(wide), right.astype(wide)
        gap = np.abs(two - one)
        equal = (one == two) | (np.isnan(one) & np.isnan(two))
        if not exact:
            rtol, atol = _TOLERANCES.get(dtype, (0.0, 0.0))
            apart = ~(equal | (np.isfinite(gap) & (gap <= atol + rtol * np.abs(one))))
        gap = np.where(equal, 0.0, gap)
        relative = np.where(gap == 0, 0.0, gap / np.abs(one))
    return Numbers(_largest(gap), _largest(relative), int(apart.sum()), left.size)


def _largest(gaps: np.ndarray[Any, Any]) -> float:
    if not gaps.size:
        return 0.0
    return float("nan") if np.isnan(gaps).any() else float(gaps.max())


def _same_text(left: Node, right: Node) -> bool:
    if left.text == right.text:
        return True
    numbers = _difference(left, right)
    return numbers is not None and numbers.differ == 0


def _difference(left: Node, right: Node) -> Numbers | None:
    """Of two Python numbers."""
    if (
        left.kind != "value"
        or left.type != right.type
        or left.type not in ("int", "float", "complex")
    ):
        return None
    try:
        convert = complex if left.type == "complex" else float
        one, two = np.array([convert(left.text)]), np.array([convert(right.text)])
    except (ValueError, OverflowError):
        return None
    if left.type == "int":
        gap = abs(float(two[0]) - float(one[0]))
        return Numbers(gap, gap / abs(float(one[0])) if one[0] else float("inf"), 1, 1)
    return _numbers(one, two, _NUMBERS[left.type])


def _typed(node: Node, other: Node) -> str:
    """With the class where the words alone would be the same."""
    said = shown(node)
    return f"{node.name} {said}" if said == shown(other) else said


def _texts(left: Node, right: Node) -> tuple[str, str]:
    """Long texts from where they part."""
    one, two = shown(left), shown(right)
    if one != two:
        return one, two
    if left.kind == "function":
        one, two = (node.text.partition(" of ")[0] for node in (left, right))
        return f"{one})", f"{two})"
    at = next((i for i, (a, b) in enumerate(zip(left.text, right.text, strict=False)) if a != b), 0)
    start = max(at - 10, 0)
    return f"…{left.text[start : start + 60]}", f"…{right.text[start : start + 60]}"


def _lengths(left: Node, right: Node) -> tuple[str, str]:
    one, two = shown(left), shown(right)
    if one != two:
        return one, two
    return f"{left.name} of {len(left.items)}", f"{right.name} of {len(right.items)}"


def _values(left: Node, right: Node) -> tuple[str, str]:
    """Of tensors too large to show: the first element that differs most plainly."""
    one, two = left.data, right.data
    said = shown(left), shown(right)
    if one is None or two is None or said[0] != said[1]:
        return said
    values, others = one.values, two.values
    if values is None or others is None:
        values, others = _sampled(one, two), _sampled(two, one)
    if values is None or others is None:
        return said
    flat, other = values.reshape(-1), others.reshape(-1)
    at = int(np.argmax((flat != other) & ~((flat != flat) & (other != other))))
    first, second = format_number(flat[at]), format_number(other[at])
    return f"{one.aval} [… {first} …]", f"{two.aval} [… {second} …]"


def _listed(node: Node) -> list[str]:
    return [child.text for _, child in node.items]


def _steps(node: Node) -> list[str]:
    return [step for step, _ in node.items]


def _keys(node: Node) -> str:
    return ", ".join(step[1:-1] for step in _steps(node)[:8])
