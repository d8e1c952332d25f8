"""Recompiles because of a Python value that is an argument."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .arguments import (
    BUILT_IN,
    class_now,
    is_argument,
    is_kept,
    is_setting,
    is_tensor_class,
)
from .base import CauseRule, Fix
from .numbers import NUMBER_RULES

_ISOLATE = Fix(
    key="isolate",
    text="or, of a few values, compile once for each, with entries apart: "
    "torch.compile(…, isolate_recompiles=True)",
    since=(2, 13),
)


def _constant(cause: Cause, *classes: str) -> bool:
    return (
        is_argument(cause)
        and cause.row.kind == "value"
        and cause.form == "exact"
        and class_now(cause) in classes
    )


def _is_torch_constant(cause: Cause) -> bool:
    return cause.row.type in ("dtype", "device", "memory_format", "layout")


def _enum(cause: Cause) -> bool:
    """A member of an enum is guarded by its identity, and told by its name: `Mode.FAST`."""
    row = cause.row
    named = bool(row.type) and row.actual.startswith(f"{row.type}.")
    return is_argument(cause) and row.kind == "identity" and named


def _optional(cause: Cause) -> bool:
    row = cause.row
    of_type = row.kind == "type" and "NoneType" in (row.expected, row.actual)
    return is_argument(cause) and (cause.form == "optional" or of_type)


def _mixed(cause: Cause) -> bool:
    row = cause.row
    known = {row.expected, row.actual} <= {*BUILT_IN, "Tensor"}
    of_type = row.kind == "type" and known and not is_tensor_class(cause)
    return is_argument(cause) and (cause.form == "mixed" or of_type) and not _optional(cause)


BOOL_ARGUMENT = CauseRule(
    id="bool-argument",
    title="A bool argument changed",
    why="""\
A bool is a constant of the graph: True and False are an entry each, and each is compiled anew for
what else changes. `dynamic=True` has no say.

As a tensor it is data. `torch.where` computes both sides and takes one; `torch.cond` runs one of
two graphs, which give tensors of the same shape and type.""",
    fixes=(
        Fix(
            key="where",
            text="pass {source} as a tensor, and torch.where({source}, a, b) in place of "
            "the branch",
        ),
        Fix(key="cond", text="or torch.cond({source}, …), which runs one side only"),
    ),
    matches=lambda cause: _constant(cause, "bool"),
)
DTYPE_ARGUMENT = CauseRule(
    id="dtype-argument",
    title="A dtype or device that is an argument changed",
    why="""\
A `torch.dtype` or `torch.device` that is passed is a constant of the graph, for what it makes has
another type: there is one entry for each. The same holds of a memory format or layout.""",
    fixes=(
        Fix(
            key="before",
            text="convert with {source} before the call, and let the function take what its "
            "tensors have",
        ),
        _ISOLATE,
    ),
    matches=lambda cause: _constant(cause, "other") and _is_torch_constant(cause),
)
CONSTANT_ARGUMENT = CauseRule(
    id="constant-argument",
    title="A text or other constant that is an argument changed",
    why="""\
Every Python value that is no tensor and no number is a constant of the graph: each is an entry, up
to the recompile limit, after which calls run eagerly. A text that varies freely (a name, a prompt)
reaches it soon; two or three modes do not.""",
    fixes=(
        Fix(
            key="resolve",
            text="work out before the call what {source} stands for, and pass that as a tensor",
        ),
        _ISOLATE,
    ),
    matches=lambda cause: (
        _constant(cause, "text", "complex", "other") and not _is_torch_constant(cause)
    ),
)
ENUM_ARGUMENT = CauseRule(
    id="enum-argument",
    title="An enum member that is an argument changed",
    why="""\
A member of an enum is guarded by its identity: each member that is passed is an entry of its own,
and each is compiled anew for what else changes. Two or three do not matter, more than the recompile
limit run eagerly.""",
    fixes=(
        Fix(
            key="resolve",
            text="work out before the call what {source} stands for, and pass that as a tensor",
        ),
        _ISOLATE,
    ),
    matches=_enum,
)
OPTIONAL_ARGUMENT = CauseRule(
    id="optional-argument",
    title="An argument is None in one call and not in another",
    why="""\
Whether an argument is None is guarded: with it and without it are two entries, and each is
compiled anew for what else changes.""",
    fixes=(
        Fix(
            key="neutral",
            text="pass a value that changes nothing in place of None, such as a mask of ones",
        ),
    ),
    matches=_optional,
)
TYPE_CHANGE = CauseRule(
    id="type-change",
    title="An argument has another type",
    why="""\
The type of an argument is guarded, and exactly: `2` and `2.0`, a list and a tuple, a number and a
tensor are captured apart.""",
    fixes=(
        Fix(
            key="one_type",
            text="pass {source} as one type in every call ({was} and {now} came)",
        ),
    ),
    matches=_mixed,
)
VALUE_AFTER_BREAK = CauseRule(
    id="value-after-break",
    title="A Python value that is kept over a graph break changed",
    why="""\
What a function has in hand at a graph break is an argument of the part after it. A Python value
among it, such as what `.item()` or `random.random()` gave, is guarded as an argument is: by its
value first. Where the break is mended, it is not a value any more but a part of the graph.""",
    fixes=(
        Fix(
            key="mend",
            text="mend the graph break, or keep a tensor over it in place of a Python value: "
            "no .item()",
        ),
    ),
    matches=lambda cause: (
        is_kept(cause)
        and cause.row.kind in ("value", "symbolic", "type", "identity")
        and not is_tensor_class(cause)
    ),
)
OPTIMIZER_SCALAR = CauseRule(
    id="optimizer-scalar",
    title="A number in an optimizer's param_groups changed",
    why="""\
A learning rate that is a float is guarded by its value, as any number: when a scheduler changes it
first, the step is compiled once more, and takes it for a symbol from then on. As a tensor it is
data; the optimizers of torch and its schedulers take one and keep it.""",
    fixes=(
        Fix(key="tensor", text="make it a tensor: lr=torch.tensor(…) when the optimizer is made"),
    ),
    matches=is_setting,
)
VALUE_RULES: tuple[CauseRule, ...] = (
    *NUMBER_RULES,
    BOOL_ARGUMENT,
    DTYPE_ARGUMENT,
    CONSTANT_ARGUMENT,
    OPTIONAL_ARGUMENT,
    TYPE_CHANGE,
    VALUE_AFTER_BREAK,
)
# Of what is no plain argument, and so before the rules on attributes, items and objects.
SPECIAL_VALUE_RULES: tuple[CauseRule, ...] = (OPTIMIZER_SCALAR, ENUM_ARGUMENT)
