"""Recompiles because an object is another one, of another class, or gone."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .base import CauseRule, Fix
from .held_values import HELD_RULES

_BUILTIN = frozenset(
    {
        "int", "float", "bool", "complex", "str", "bytes", "NoneType", "list", "tuple", "dict",
        "set", "Tensor", "Parameter", "dtype", "device", "slice", "range",
    }
)  # fmt: skip
_ISOLATE = "torch.compile(…, isolate_recompiles=True)"
_PRESENCE = {"there", "missing"}
_CODE = frozenset(
    {"code", "function", "method", "builtin_function_or_method", "method_descriptor", "ufunc"}
)


def _is_function(cause: Cause) -> bool:
    """On either side; `a function` stands for one where something else came."""
    said = {word for value in cause.distinct for word in value.split()}
    return cause.row.kind in ("identity", "type") and bool(said & _CODE)


def _is_class_change(cause: Cause) -> bool:
    plain = cause.distinct & _BUILTIN
    return cause.row.kind == "type" and not plain and not _is_function(cause)


OBJECT_COLLECTED = CauseRule(
    id="object-collected",
    title="An object that an entry was made for is gone",
    why="""\
An entry that is guarded on the identity of an object (a class, an optimizer, a module) is thrown
away when that object is collected, and the next call compiles anew. torch says "Cache line
invalidated because … got deallocated". Objects of the kind that are made anew for every call
compile on every call.""",
    fixes=(Fix(key="keep", text="make {source} once and keep it"),),
    matches=lambda cause: cause.row.kind == "lifetime",
)
FUNCTION_CHANGED = CauseRule(
    id="function-changed",
    title="Another function is called",
    why="""\
A function that is an argument, an attribute or a global is inlined, so the entry is guarded on it:
on a Python function's code, on a builtin itself. Each function has an entry of its own, up to the
recompile limit. A new lambda or closure of the same code hits, and so does a new
`functools.partial` of the same function and the same arguments.""",
    fixes=(
        Fix(
            key="isolate",
            text="compile one function for each, with entries apart: " + _ISOLATE,
            since=(2, 13),
        ),
        Fix(
            key="factory",
            text="or, where only a number differs, make them in one place and give it as a tensor",
        ),
    ),
    matches=_is_function,
)
OBJECT_IDENTITY = CauseRule(
    id="object-identity",
    title="An object is another one",
    why="""\
Captured code depended on which object this is: a class that is an argument, or something compared
with `is`. Each one has an entry of its own, up to the recompile limit.""",
    fixes=(
        Fix(
            key="isolate",
            text="compile once for each, with entries apart: " + _ISOLATE,
            since=(2, 13),
        ),
    ),
    matches=lambda cause: cause.row.kind == "identity" and not _is_function(cause),
)
OBJECT_TYPE = CauseRule(
    id="object-type",
    title="An object is of another class",
    why="""\
Methods and attributes are looked up while a graph is captured, so an entry holds for the class it
was captured with. Each class has an entry of its own, up to the recompile limit.""",
    fixes=(
        Fix(
            key="isolate",
            text="compile once for each class, with entries apart: " + _ISOLATE,
            since=(2, 13),
        ),
        Fix(
            key="unpack",
            text="or, where it only carries tensors, pass these instead of {source}",
        ),
    ),
    matches=_is_class_change,
)
ATTRIBUTE_PRESENT = CauseRule(
    id="attribute-present",
    title="An attribute is there on one call and not on another",
    why="""\
`hasattr`, `getattr` with a default and `except AttributeError` are answered while a graph is
captured, and the answer is guarded.""",
    fixes=(Fix(key="always", text="give {name} the attribute always, with a neutral value"),),
    matches=lambda cause: cause.row.kind == "attribute" and cause.distinct <= _PRESENCE,
)
OBJECT_RULES: tuple[CauseRule, ...] = (
    OBJECT_COLLECTED,
    FUNCTION_CHANGED,
    OBJECT_IDENTITY,
    OBJECT_TYPE,
    ATTRIBUTE_PRESENT,
    *HELD_RULES,
)
