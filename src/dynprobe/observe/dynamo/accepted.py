"""What a guard accepts, as data: the one value, the sizes of a tensor, a range."""

from __future__ import annotations

import ast
from math import inf, nextafter
from typing import NamedTuple

from . import tensor_match
from .records import LeafGuard
from .words import is_environ


class Range(NamedTuple):
    """Both ends inclusive; None where there is none."""

    low: int | float | None = None
    high: int | float | None = None


def value_of(leaf: LeafGuard, code: str) -> str | None:
    """The one value, or length, that a guard holds its source to, as Python writes it; None where
    it holds it to none."""
    if leaf.kind in ("FLOAT_IS_NAN", "COMPLEX_IS_NAN"):
        return "nan"
    if leaf.kind in ("LENGTH_CHECK", "DICT_LENGTH"):
        return "0" if code == f"not {leaf.source}" else code.rpartition(" == ")[2] or None
    for sign in (" == ", " is "):
        if code.startswith(leaf.source + sign):
            value = code.removeprefix(leaf.source + sign).strip()
            return value.removeprefix("b") if is_environ(leaf.source) else value
    return None


def sizes_of(leaf: LeafGuard, code: str) -> tuple[int | None, ...] | None:
    """The sizes that TENSOR_MATCH wants, None where it takes any."""
    wanted = tensor_match.parse(code) if leaf.kind == "TENSOR_MATCH" else None
    return None if wanted is None else wanted.size


def range_of(code: str, source: str, *, is_float: bool) -> Range:
    """The range that a condition such as `2 <= L['x'].size()[0] <= 9` holds `source` to."""
    try:
        tree, wanted = ast.parse(code, mode="eval").body, ast.unparse(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Range()
    if not isinstance(tree, ast.Compare):
        return Range()
    sides = [tree.left, *tree.comparators]
    at = [i for i, side in enumerate(sides) if ast.unparse(side) == wanted]
    if len(at) != 1:
        return Range()
    low = high = None
    for i, op in enumerate(tree.ops):
        if at[0] not in (i, i + 1):
            continue
        number = _number(sides[i + 1] if at[0] == i else sides[i])
        one = _compared(type(op), number, is_left=at[0] == i, is_float=is_float)
        low = one.low if low is None else low
        high = one.high if high is None else high
    return Range(low, high)


def _number(node: ast.expr) -> int | float | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) in (int, float) else None


def _compared(
    op: type[ast.cmpop], number: int | float | None, *, is_left: bool, is_float: bool
) -> Range:  # fmt: skip
    """The range of a source that stands left (or right) of a comparison with a number."""
    if number is None:
        return Range()
    if not is_left:
        op = _MIRRORED.get(op, op)
    steps = {ast.Lt: -1, ast.Gt: 1}
    end = _next(number, steps[op], is_float) if op in steps else number
    if op in (ast.Lt, ast.LtE):
        return Range(None, end)
    if op in (ast.Gt, ast.GtE):
        return Range(end, None)
    return Range(end, end) if op is ast.Eq else Range()


_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip


def _next(number: int | float, step: int, is_float: bool) -> int | float:
    """The first number beyond a strict bound."""
    if is_float or isinstance(number, float):
        return nextafter(float(number), step * inf)
    return number + step
