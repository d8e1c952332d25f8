"""What a cause is about, where it is an argument itself and not something read off one."""

from __future__ import annotations

import re

from dynprobe.diagnose.causes import Cause
from dynprobe.diagnose.forms import Class, argument_of, class_of

VALUE_KINDS = ("value", "symbolic")
BUILT_IN = (
    "NoneType", "int", "float", "bool", "complex", "str", "bytes", "list", "tuple", "dict", "set",
    "range", "slice", "Size", "ndarray",
)  # fmt: skip
_KEPT = re.compile(r"\(value \d+ kept over the break[^()]*\)")
_BRANCH = re.compile(r"\b(?:if|elif|while|assert)\b")


def is_argument(cause: Cause) -> bool:
    """The value itself was passed: it is no item or attribute of something. What the part after a
    graph break has in hand was not, but for constants that no tensor gives."""
    row = cause.row
    passed = not cause.resumed or _no_tensor_gives(cause)
    return row.root == "argument" and passed and argument_of(row.source) is not None


def is_kept(cause: Cause) -> bool:
    """It was computed before a graph break, or passed to the part after it."""
    row = cause.row
    if row.root == "kept":
        return bool(_KEPT.fullmatch(row.source))
    return cause.resumed and argument_of(row.source) is not None and not _no_tensor_gives(cause)


def _no_tensor_gives(cause: Cause) -> bool:
    """A text, None and the like: mending a break does not make it a part of the graph."""
    kind, now = cause.row.kind, class_now(cause)
    if cause.form == "optional":
        return kind in (*VALUE_KINDS, "type", "identity")
    return kind == "value" and cause.form == "exact" and now in ("text", "complex", "other")


def is_of_tensor(cause: Cause) -> bool:
    """On sizes or strides."""
    return ".shape[" in cause.row.source or ".stride()[" in cause.row.source


def is_setting(cause: Cause) -> bool:
    """A number in an optimizer's `param_groups`."""
    return "param_groups[" in cause.row.source and cause.row.kind in VALUE_KINDS


def class_now(cause: Cause) -> Class:
    return class_of(cause.row.actual)


def is_number(cause: Cause) -> bool:
    """A number came for another of the same class."""
    return (
        is_argument(cause)
        and cause.row.kind in VALUE_KINDS
        and cause.form == "exact"
        and class_now(cause) in ("int", "float")
    )


def is_not_finite(cause: Cause) -> bool:
    return any(value.lstrip("-") in ("nan", "inf") for value in cause.values)


def is_branch(cause: Cause) -> bool:
    """The line that asked is the user's own, and a branch."""
    return cause.row.near is None and bool(_BRANCH.search(cause.row.code or ""))


def became_a_symbol(cause: Cause) -> bool:
    """Whether another size or number made it a symbol. Where no row of the entry tells (torch
    keeps none for a tensor of which only the size is used) a value that changed once did."""
    if cause.dynamic != "auto" or cause.specialised is not None:
        return False
    return cause.symbolic is not False or len(cause.rows) == 1


def is_tensor_class(cause: Cause) -> bool:
    """A tensor came as a tensor of another class: the guard is one on a tensor."""
    row = cause.row
    is_tensor = row.text.startswith("check_tensor(") or "Tensor" in row.expected
    return row.kind == "type" and is_tensor and not {row.expected, row.actual} & {*BUILT_IN}
