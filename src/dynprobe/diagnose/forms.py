"""What kind of change a failed guard tells of: a size that is 0 or 1, a number, a range left."""

from __future__ import annotations

import ast
import re
from typing import Literal

from dynprobe.report import FailedGuard

Form = Literal["zero_one", "exact", "condition", "optional", "mixed", "other"]
"""`zero_one`: a size of which one is 0 or 1; `exact`: another size, or another value of the same
class; `condition`: sizes or numbers outside what an entry accepts of them; `optional`: None on one
side; `mixed`: values of two classes; `other`: no size and no value."""

Class = Literal["none", "bool", "int", "float", "complex", "text", "tensor", "other"]

_SIZE = re.compile(r".*\.shape\[\d+\]")
_FROM_TWO = re.compile(r"≥ 2|2 to \d+")
_RANGE = re.compile(r"[≥≤<>] .*|not .*|\S+ to \S+")  # of a number that is a symbol
_CLASSES: tuple[tuple[Class, re.Pattern[str]], ...] = (
    ("none", re.compile(r"None")),
    ("bool", re.compile(r"True|False")),
    ("int", re.compile(r"-?\d+")),
    ("float", re.compile(r"-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+|inf)|nan")),
    ("complex", re.compile(r"\(?[-+\d.einfa]*j\)?")),
    ("text", re.compile(r"b?['\"].*", re.DOTALL)),
    ("tensor", re.compile(r"[a-z]+\d+\w*\[.*\].*")),
)


def class_of(text: str) -> Class:
    """Of a value as a report writes it: `0.5`, `'sin'`, `f32[4]`."""
    return next((name for name, pattern in _CLASSES if pattern.fullmatch(text)), "other")


def form_of(row: FailedGuard) -> Form:
    if row.kind == "size":
        return _size(row)
    if row.kind == "symbolic":
        return "exact" if _is_number(row.expected) and _is_plain(row.source) else "condition"
    if row.kind == "value":
        return _value(row)
    return "other"


def _size(row: FailedGuard) -> Form:
    if not _SIZE.fullmatch(row.source) or _has_operator(row.source):
        return "condition"
    is_from_two = _FROM_TWO.fullmatch(row.expected)
    if {row.expected, row.actual} & {"0", "1"} and (row.expected.isdigit() or is_from_two):
        return "zero_one"
    return "exact" if row.expected.isdigit() else "condition"


def _value(row: FailedGuard) -> Form:
    was, now = class_of(row.expected), class_of(row.actual)
    if was == "other" and _RANGE.fullmatch(row.expected):
        return "condition"
    if was == now:
        return "exact"
    return "optional" if "none" in (was, now) else "mixed"


def _is_number(text: str) -> bool:
    return class_of(text) in ("int", "float")


def _is_plain(source: str) -> bool:
    parts = (".shape[", ".stride()", "isnan(")
    return not _has_operator(source) and not any(part in source for part in parts)


def _has_operator(source: str) -> bool:
    """A source is one name with its steps; `x.shape[0] % 4` computes. A value kept over a break
    has blanks in its name."""
    outside = re.sub(r"\(value \d+ kept over the break[^)]*\)", "", source)
    return bool(re.search(r" [-+*/%<>=]+ |\*|//", outside))


def argument_of(source: str) -> str | None:
    """The one name that a source or condition is about: `n` of `n`, `2 <= n <= 9`, `n % 2`,
    `not math.isnan(n)`, `from_numpy(n)`. None where it reads more than one, or something off
    one."""
    try:
        nodes = list(ast.walk(ast.parse(source, mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    called = {part for n in nodes if isinstance(n, ast.Call) for part in ast.walk(n.func)}
    rest = [node for node in nodes if node not in called]
    if any(isinstance(node, ast.Attribute | ast.Subscript) for node in rest):
        return None
    names = {node.id for node in rest if isinstance(node, ast.Name)}
    return names.pop() if len(names) == 1 else None
