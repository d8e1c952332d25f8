"""Recompiles because of a value in an object, container, closure or global."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause
from dynprobe.diagnose.forms import class_of

from .base import CauseRule, Fix
from .held import branches, is_floats, is_held, is_ints, on_class, shapes_the_graph

_PLAIN = {"int", "float", "bool", "complex", "str", "bytes", "list", "tuple", "dict", "set"}
_ISOLATE = "torch.compile(…, isolate_recompiles=True)"


def _optional_tensor(cause: Cause) -> bool:
    """None on one side, a tensor on the other."""
    none = bool(cause.distinct & {"None", "NoneType"})
    others = cause.distinct - {"None", "NoneType"}
    return none and all(class_of(v) == "tensor" or v in ("Tensor", "Parameter") for v in others)


def _optional(cause: Cause) -> bool:
    """None on one side, and no tensor on the other."""
    none = bool(cause.distinct & {"None", "NoneType"})
    return none and not _optional_tensor(cause)


def _other_type(cause: Cause) -> bool:
    row = cause.row
    plain = row.kind == "type" and bool(cause.distinct & _PLAIN)
    mixed = row.kind == "value" and cause.form == "mixed"
    return is_held(cause) and (plain or mixed)


def _constant(cause: Cause) -> bool:
    """What an entry is captured for each value of, an int that the graph's shape hangs on too."""
    if cause.row.kind not in ("value", "type") or not is_held(cause):
        return False
    exact = cause.row.kind == "value" and cause.form == "exact" and not is_floats(cause)
    return exact or _optional(cause)


def _global_int(cause: Cause) -> bool:
    return is_ints(cause) and cause.row.root == "global" and not shapes_the_graph(cause)


OPTIONAL_ATTRIBUTE = CauseRule(
    id="optional-attribute",
    title="An attribute or item is None on one call and a tensor on another",
    why="""\
`None` is a constant of the graph that is captured for it; a tensor in its place needs another
graph. That is two entries, and both count towards the recompile limit.""",
    fixes=(
        Fix(
            key="neutral",
            text="use a neutral tensor in place of None in {source}: one that adds zero, or masks "
            "nothing",
        ),
    ),
    matches=lambda cause: (
        cause.row.kind in ("value", "type") and _optional_tensor(cause) and is_held(cause)
    ),
)
GLOBAL_INT = CauseRule(
    id="global-int",
    title="A global int changed",
    why="""\
Dynamo takes an `int` that it reaches from a global for a constant, whether it is the global itself,
an item of a global list or an attribute of a global object, class or Python module. A counter makes
a new entry for each value, up to the recompile limit, and `dynamic=True` does not change that. (A
global `float` becomes a symbol at its second value.)""",
    fixes=(
        Fix(
            key="tensor",
            text="where code only computes with it, make it a tensor and count in place: "
            "{source}.add_(1)",
        ),
        Fix(key="argument", text="or pass it as an argument, and compile with dynamic=True"),
        Fix(
            key="listed",
            text="or name it as dynamic before the first call: "
            'torch.compiler.config.dynamic_sources = "{torch_name}"',
        ),
    ),
    matches=lambda cause: _global_int(cause) and not branches(cause),
)
GLOBAL_INT_BRANCH = CauseRule(
    id="global-int-branch",
    title="A global int changed, and a branch reads it",
    why="""\
Dynamo takes a global `int` for a constant: a step that a function compares with something makes a
new entry for each value, up to the recompile limit. As a symbol it makes one entry for each side of
the branch. (A tensor in its place would break the graph at the branch.)""",
    fixes=(
        Fix(
            key="argument",
            text="pass it as an argument, and compile with dynamic=True: then each side of the "
            "branch is compiled once",
        ),
        Fix(
            key="listed",
            text="or name it as dynamic before the first call: "
            'torch.compiler.config.dynamic_sources = "{torch_name}"',
        ),
    ),
    matches=lambda cause: _global_int(cause) and branches(cause),
)
CLASS_INT = CauseRule(
    id="class-int",
    title="An int attribute of a class changed",
    why="""\
A value that is set on the class and read off an instance is guarded on the class. Where the
instance is an `nn.Module`, Dynamo takes an int for a constant: each value has an entry of its own,
up to the recompile limit.""",
    fixes=(
        Fix(
            key="tensor",
            text="where code only computes with it, make it a tensor and change it in place",
        ),
    ),
    matches=lambda cause: (
        is_ints(cause)
        and cause.row.root != "global"
        and on_class(cause)
        and not shapes_the_graph(cause)
    ),
)
HELD_INT = CauseRule(
    id="held-int",
    title="An int in an object, container or closure changed",
    why="""\
An `int` that hangs on an argument or sits in a closure is a constant of the first graph. When it
changes, Dynamo compiles once more and makes it a symbol, so that later values hit. The second
compile can be spared.""",
    fixes=(
        Fix(key="dynamic", text="compile with dynamic=True: it is a symbol from the start"),
        Fix(key="tensor", text="or, where code only computes with it, make {source} a tensor"),
    ),
    matches=lambda cause: (
        is_ints(cause)
        and cause.row.root != "global"
        and is_held(cause)
        and cause.symbolic is not False
        and not shapes_the_graph(cause)
    ),
)
HELD_FLOAT = CauseRule(
    id="held-float",
    title="A float in an object, module, container, closure or global changed",
    why="""\
A `float` is a constant of the first graph. When it changes, Dynamo compiles once more and makes it
a symbol, so that later values hit; an infinity or a NaN is always a constant. The second compile
can be spared.""",
    fixes=(
        Fix(key="dynamic", text="compile with dynamic=True: it is a symbol from the start"),
        Fix(key="tensor", text="or, where code only computes with it, make {source} a tensor"),
    ),
    matches=lambda cause: is_floats(cause) and is_held(cause),
)
HELD_CONSTANT = CauseRule(
    id="held-constant",
    title="A constant in an object, module, container, closure or global changed",
    why="""\
A bool, string, enum member or dtype that captured code reads is a constant of the graph: it decides
what is captured. So does an int that bounds a loop or is an index into a list. Each value has an
entry of its own, up to the recompile limit.""",
    fixes=(
        Fix(
            key="isolate",
            text="compile once for each value, with entries apart: " + _ISOLATE,
            since=(2, 13),
        ),
        Fix(
            key="where",
            text="or, where it is a flag, make it a tensor and choose with torch.where",
        ),
    ),
    matches=_constant,
)
HELD_TYPE = CauseRule(
    id="held-type",
    title="A value in an object, container, closure or global is of another type",
    why="""\
The type of what captured code reads is guarded, for a list, tuple or number as for any object: `1`
and `1.0`, `[…]` and `(…)`, a number and a tensor have an entry each.""",
    fixes=(Fix(key="one", text="give {source} the same type on every call"),),
    matches=_other_type,
)
HELD_RULES: tuple[CauseRule, ...] = (
    OPTIONAL_ATTRIBUTE,
    GLOBAL_INT,
    GLOBAL_INT_BRANCH,
    CLASS_INT,
    HELD_INT,
    HELD_FLOAT,
    HELD_CONSTANT,
    HELD_TYPE,
)
