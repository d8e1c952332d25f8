"""What a cause is about, where it is an argument itself and not something read off one."""

from __future__ import annotations

import re

from dynprobe.diagnose.causes import Cause
from dynprobe.diagnose.forms import Class, argument_of, class_of

VALUE_KINDS = ("value", "symbolic")
_BRANCH = re.compile(r"\b(?:if|elif|while|assert)\b")


def is_argument(cause: Cause) -> bool:
    """The value itself was passed: it is no item or attribute of something."""
    of_frame = cause.row.root in ("argument", "other") and not cause.resumed
    return of_frame and argument_of(cause.row.source) is not None


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
    said = any(value.lstrip("-") in ("nan", "inf") for value in cause.values)
    return said or "isnan(" in cause.row.source


def is_branch(cause: Cause) -> bool:
    """The line that asked is the user's own, and a branch."""
    return cause.row.near is None and bool(_BRANCH.search(cause.row.code or ""))


def became_a_symbol(cause: Cause) -> bool:
    """Whether another size or number made it a symbol. Where no row of the entry tells (torch
    keeps none for a tensor of which only the size is used) a value that changed once did."""
    if cause.dynamic != "auto" or cause.specialised is not None:
        return False
    return cause.symbolic is not False or len(cause.rows) == 1
