"""What kind of value a cause is about, and what holds it."""

from __future__ import annotations

import re

from dynprobe.diagnose.causes import Cause
from dynprobe.diagnose.forms import class_of

_BRANCH = re.compile(r"\b(?:if|elif|while|assert|match)\b")
_NAME = re.compile(r"[A-Za-z_]\w*$")
_LOOP = re.compile(r"\brange\(")


def is_held(cause: Cause) -> bool:
    """Whether the value is read off something: an attribute, an item, a global, a closure. An
    argument itself is not, nor is an optimizer's setting."""
    row = cause.row
    if row.root in ("global", "closure") or " closure " in row.source or on_class(cause):
        return True
    if "param_groups[" in row.source:
        return False
    return row.holder not in (None, "tensor") and ("." in row.source or "[" in row.source)


def is_ints(cause: Cause) -> bool:
    return _all(cause, "int")


def is_floats(cause: Cause) -> bool:
    return _all(cause, "float")


def _all(cause: Cause, name: str) -> bool:
    if cause.row.kind not in ("value", "symbolic") or cause.form != "exact":
        return False
    return all(class_of(value) == name for value in cause.distinct)


def on_module(cause: Cause) -> bool:
    """Whether the value hangs on an `nn.Module`: Dynamo then keeps an int constant."""
    row = cause.row
    kept = row.root == "argument" and cause.symbolic is False and cause.specialised is None
    return row.holder == "module" or kept


def on_class(cause: Cause) -> bool:
    """An attribute of a class, whether read off the class or off an instance."""
    return cause.row.holder == "class" or "type(" in cause.row.source


def on_several(cause: Cause) -> bool:
    """Read off several modules that share their code."""
    return cause.row.holder == "module" and any(row.same_holder is False for row in cause.rows)


def branches(cause: Cause) -> bool:
    """The user's line that reads it is a branch: a tensor there would break the graph."""
    return bool(_BRANCH.search(_code(cause)))


def shapes_the_graph(cause: Cause) -> bool:
    """The user's line needs the number itself to be captured: it bounds a loop, or is an index
    into a list or dict. What became a symbol is not needed as a number."""
    if cause.symbolic:
        return False
    code = _code(cause)
    name = _NAME.search(cause.row.source)
    index = name and re.search(rf"\[[^\]]*\b{name[0]}\b[^\]]*\]", code)
    return bool(_LOOP.search(code) or index)


def _code(cause: Cause) -> str:
    near = cause.row.near
    return (near.text if near is not None else cause.row.code) or ""
