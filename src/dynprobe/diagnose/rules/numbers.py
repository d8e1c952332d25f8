"""Recompiles because of a number that is an argument."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .arguments import (
    VALUE_KINDS,
    became_a_symbol,
    class_now,
    is_argument,
    is_branch,
    is_kept,
    is_not_finite,
    is_number,
    is_of_tensor,
    is_setting,
)
from .base import CauseRule, Fix


def _became_a_symbol(cause: Cause) -> bool:
    return is_number(cause) and became_a_symbol(cause) and not is_not_finite(cause)


def _asks_for_nan(cause: Cause) -> bool:
    return cause.row.kind == "symbolic" and "isnan(" in cause.row.source


def _is_nan(cause: Cause) -> bool:
    """NaN or infinite, before or now."""
    came = is_number(cause) and class_now(cause) == "float" and is_not_finite(cause)
    return came or (is_argument(cause) and _asks_for_nan(cause))


def _condition(cause: Cause) -> bool:
    """On numbers, wherever they are read from."""
    row = cause.row
    of_numbers = row.kind in VALUE_KINDS and cause.form == "condition"
    others = (is_of_tensor, is_setting, is_kept, _asks_for_nan)
    return of_numbers and not any(is_other(cause) for is_other in others)


INT_ARGUMENT = CauseRule(
    id="int-argument",
    title="An int argument changed",
    why="""\
Dynamo takes an int for a constant first. When it changes it recompiles once and makes it a symbol,
after which other values hit, 0 and 1 among them. With `dynamic=True` it is a symbol from the start.

A tensor is data and never guarded by its value; but to index or slice with it asks for the number,
so that it helps only in arithmetic.""",
    fixes=(Fix(key="dynamic", text="compile with dynamic=True"),),
    matches=lambda cause: _became_a_symbol(cause) and class_now(cause) == "int",
)
FLOAT_ARGUMENT = CauseRule(
    id="float-argument",
    title="A float argument changed",
    why="""\
Dynamo takes a float for a constant first. When it changes it recompiles once and makes it a symbol,
after which other values hit. With `dynamic=True` it is a symbol from the start.

A zero-dimensional tensor is data: it is never guarded by its value. It does where a number does in
arithmetic; some arguments of torch's functions want a Python number.""",
    fixes=(
        Fix(key="tensor", text="where it is only computed with, pass torch.tensor({name})"),
        Fix(key="dynamic", text="or compile with dynamic=True"),
    ),
    matches=lambda cause: _became_a_symbol(cause) and class_now(cause) == "float",
)
NAN_ARGUMENT = CauseRule(
    id="nan-argument",
    title="A float argument is NaN or infinite",
    why="""\
NaN and the infinities are no symbols: each is a constant with an entry of its own, and a number
that comes after them is captured again. In a tensor they are data as any other.""",
    fixes=(Fix(key="tensor", text="where it is only computed with, pass torch.tensor({name})"),),
    matches=_is_nan,
)
NUMBER_SPECIALISED = CauseRule(
    id="number-specialised",
    title="Code makes a constant of a number",
    why="""\
The number changed, and the new graph holds it as a constant again: a line needs its value while
the graph is captured. A loop `for i in range(n)` is unrolled; `x.sum(n)`, dropout's `p` and an
index into a list ask for the number. Each value then is an entry, up to the recompile limit, and
`dynamic=True` does not help.

What helps is an operation that takes it as data: `torch.arange(n)` in place of the loop.""",
    fixes=(
        Fix(
            key="tensor_op",
            text="use tensor operations where the value of {source} is asked for{at}",
        ),
    ),
    matches=lambda cause: (
        is_number(cause) and cause.specialised is not None and not is_not_finite(cause)
    ),
)
NUMBER_CONDITION = CauseRule(
    id="number-condition",
    title="A branch on a number went the other way",
    why="""\
A Python branch on a number that is a symbol is taken once, at capture, and the entry accepts the
numbers that go the same way (`gain ≤ 0.75`). The other way is an entry of its own: one recompile a
side, not one a value.

`torch.where` computes both sides and takes one; it needs the number as a tensor.""",
    fixes=(
        Fix(
            key="where",
            text="make {source} a tensor, and use torch.where or torch.cond in place of the "
            "branch{at}",
        ),
    ),
    matches=lambda cause: _condition(cause) and is_branch(cause),
)
NUMBER_RANGE = CauseRule(
    id="number-range",
    title="A number left the range that an operation was captured for",
    why="""\
An operation does one thing for some numbers and another for others, as a slice `x[:n]` does that
ends beyond the tensor. The entry accepts the numbers of its own side, and the other side is one
more entry. That is one recompile a side, not one a value.""",
    matches=lambda cause: _condition(cause) and not is_branch(cause),
)
NUMBER_RULES: tuple[CauseRule, ...] = (
    INT_ARGUMENT,
    FLOAT_ARGUMENT,
    NAN_ARGUMENT,
    NUMBER_SPECIALISED,
    NUMBER_CONDITION,
    NUMBER_RANGE,
)
