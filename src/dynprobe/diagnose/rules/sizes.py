"""Recompiles because a size changed."""

from __future__ import annotations

import re

from dynprobe.diagnose.causes import Cause

from .arguments import became_a_symbol, is_branch, is_not_finite, is_number
from .base import CauseRule, Fix

_OF_MODULE = ("._parameters[", "._buffers[")
_NUMBER = re.compile(r"\d+")


def _size(cause: Cause, form: str) -> bool:
    return cause.row.kind == "size" and cause.form == form


def _is_array(cause: Cause) -> bool:
    """Of an array, or what must be as large as one."""
    return any(size.startswith("from_numpy(") for size in (cause.row.source, *cause.tied))


def _can_be_marked(cause: Cause) -> bool:
    """Marks are kept on a tensor that the caller holds: not on an array, and not on what an
    earlier part of the function computed."""
    return not (_is_array(cause) or cause.resumed or cause.row.root == "kept")


def _is_constant(cause: Cause) -> bool:
    """A Parameter, or a buffer of a module: by itself torch makes no symbols of their sizes."""
    row = cause.row
    static = row.type == "Parameter" or any(table in row.text for table in _OF_MODULE)
    return static and cause.symbolic is not True and cause.specialised is None


def _varies(cause: Cause) -> bool:
    return _size(cause, "exact") and became_a_symbol(cause) and not _is_constant(cause)


def _happened_to_be_equal(cause: Cause) -> bool:
    """Two sizes of which neither is 0 or 1. If one is 1, an operation broadcasts it, and equality
    is needed all the same."""
    row = cause.row
    sizes = [*_NUMBER.findall(row.expected.rpartition("(= ")[2]), row.actual]
    return "duck sizing" in row.text and not {"0", "1"} & {*sizes}


def _is_equality(cause: Cause) -> bool:
    """`y.shape[0]` is wanted to be `x.shape[0] (= 6)`."""
    return bool(re.match(r"[^≥≤<>]*\.shape\[\d+\] \(= \d+\)", cause.row.expected))


def _condition(cause: Cause) -> bool:
    """On one size or on several together, such as `x.shape[0] % 4`."""
    row = cause.row
    together = row.kind == "symbolic" and ".shape[" in row.source
    return (together or _size(cause, "condition")) and not _happened_to_be_equal(cause)


SIZE_RECOMPILE = CauseRule(
    id="size-recompile",
    title="A size changed",
    why="""\
Dynamo captures a graph for the exact sizes it sees first. When one of them changes it recompiles
once and makes that dimension a symbol, so that later sizes hit. The second compile is what this
finding is about: it can be spared by saying beforehand which dimension varies.

`mark_dynamic` holds for the tensor it is called on: mark what the first call passes. Of two sizes
that an operation needs to be equal both must be marked: marking one of them raises. It raises too
where code makes a constant of the size; `maybe_mark_dynamic` does not.""",
    fixes=(
        Fix(
            key="mark_dynamic",
            text="mark it before the first call: {marks}",
        ),
        Fix(key="dynamic", text="or compile with dynamic=True"),
    ),
    matches=lambda cause: _varies(cause) and _can_be_marked(cause) and not _is_array(cause),
)
SIZE_AFTER_BREAK = CauseRule(
    id="size-after-break",
    title="A size changed of a tensor that is kept over a graph break",
    why="""\
What a function computes before a graph break is an argument of the part after it, and that part is
compiled for the exact sizes it sees first, as any other function. A mark does not help here: the
tensor is made anew on every call, and a mark on the function's own arguments does not reach it.

Without the break there is no second part. With `dynamic=True` all sizes are symbols from the
start, in every part.""",
    fixes=(
        Fix(key="mend", text="mend the graph break, then there is no second part to compile"),
        Fix(key="dynamic", text="or compile with dynamic=True"),
    ),
    matches=lambda cause: _varies(cause) and not _can_be_marked(cause) and not _is_array(cause),
)
ARRAY_SIZE = CauseRule(
    id="array-size",
    title="The size of a NumPy array changed",
    why="""\
Dynamo takes a NumPy array for a tensor, `torch.from_numpy` of it, and captures its exact sizes
first. An array cannot be marked: what can be marked is a tensor made of it before the call.""",
    fixes=(
        Fix(key="dynamic", text="compile with dynamic=True"),
        Fix(
            key="tensor",
            text="or pass a tensor and mark it: {name} = torch.from_numpy({name}), {marks}",
        ),
    ),
    matches=lambda cause: _varies(cause) and _is_array(cause),
)
ZERO_ONE = CauseRule(
    id="size-zero-one",
    title="A size is 0 or 1",
    why="""\
A size of 0 or 1 is never a symbol by itself: 1 broadcasts and 0 is empty, so that operations do
other things with them. An entry captured for a symbol accepts sizes from 2 on, and 0 and 1 have
an entry each. `mark_dynamic` and `dynamic=True` do not change that.

`mark_unbacked` takes the size for one that is not known: one graph serves 0, 1 and all others.
What it costs: no decision can be made on it, so that a branch on the size breaks the graph, and an
operation that would broadcast a 1 does not. It needs to be on the tensor of the call that
captures. `backed_size_oblivious` is the same for all sizes that are marked or made dynamic.""",
    fixes=(
        Fix(
            key="mark_unbacked",
            text="if no code branches on it, mark it before the first call: {unbacked}",
        ),
        Fix(
            key="oblivious",
            text="or {marks} and torch.fx.experimental._config.backed_size_oblivious = True",
        ),
    ),
    matches=lambda cause: _size(cause, "zero_one") and _can_be_marked(cause),
)
ZERO_ONE_INSIDE = CauseRule(
    id="size-zero-one-inside",
    title="A size is 0 or 1, of what cannot be marked",
    why="""\
A size of 0 or 1 has a cache entry of its own. `mark_unbacked` spares that for a tensor that is
passed; a NumPy array, or a tensor that was computed before a graph break, cannot be marked. With
`backed_size_oblivious` and `dynamic=True` no size is told apart by being 0 or 1.""",
    fixes=(
        Fix(
            key="oblivious",
            text="compile with dynamic=True and "
            "torch.fx.experimental._config.backed_size_oblivious = True",
        ),
    ),
    matches=lambda cause: _size(cause, "zero_one") and not _can_be_marked(cause),
)
PARAMETER_SIZE = CauseRule(
    id="parameter-size",
    title="The size of a parameter or buffer changed",
    why="""\
The sizes of an `nn.Parameter`, and of a module's buffers, stay constants in every graph: there is
one entry for each size, up to the recompile limit. `mark_dynamic` and `dynamic=True` have no say.
Settings of Dynamo's lift it, after which they vary as other sizes do: one for all parameters, and
one more for the modules of `torch.nn`.""",
    fixes=(
        Fix(
            key="force",
            text="let them vary: torch._dynamo.config.force_parameter_static_shapes = False and, "
            "of a module of torch.nn, force_nn_module_property_static_shapes = False",
        ),
    ),
    matches=lambda cause: (
        _size(cause, "exact") and _is_constant(cause) and cause.dynamic != "false"
    ),
)
SIZE_SPECIALISED = CauseRule(
    id="size-specialised",
    title="Code makes a constant of a size",
    why="""\
The size changed, and the new graph holds it as a constant again: a line needs its value while the
graph is captured. A loop over it is unrolled, `range(n)` and `float(n)` and an index into a list
ask for the number. Each size then is an entry, up to the recompile limit. `dynamic=True` does not
help, and `mark_dynamic` raises.

What helps is an operation on the tensor in place of Python over its size.""",
    fixes=(
        Fix(
            key="tensor_op",
            text="use an operation on the whole tensor where the number {source} is asked for{at}",
        ),
    ),
    matches=lambda cause: _size(cause, "exact") and cause.specialised is not None,
)
DYNAMIC_OFF = CauseRule(
    id="dynamic-off",
    title="A size or number changed, and dynamic=False makes each a graph",
    why="""\
With `dynamic=False` no size and no number becomes a symbol: each new one is a cache entry, up to
the recompile limit, after which calls run eagerly. Without it torch makes a symbol of what changes;
with `dynamic=True` of all sizes from the start.""",
    fixes=(Fix(key="dynamic", text="compile with dynamic=True"),),
    matches=lambda cause: (
        cause.dynamic == "false"
        and cause.specialised is None
        and (_size(cause, "exact") or is_number(cause))
        and not is_not_finite(cause)
    ),
)
DUCK_SIZING = CauseRule(
    id="duck-sizing",
    title="Two sizes were equal by accident when the graph was captured",
    why="""\
With `dynamic=True` sizes that are equal at capture share one symbol (duck sizing), so that the
graph demands that they stay equal though no operation needs it. When they differ there is one
more entry, in which they are apart. A dimension that is marked has a symbol of its own.""",
    fixes=(
        Fix(
            key="mark_dynamic",
            text="mark one of them before the first call: "
            "torch._dynamo.mark_dynamic({name}, {dim})",
        ),
        Fix(key="use_duck_shape", text="or torch.fx.experimental._config.use_duck_shape = False"),
    ),
    matches=lambda cause: _size(cause, "condition") and _happened_to_be_equal(cause),
)
SIZE_BROADCAST = CauseRule(
    id="size-broadcast",
    title="An operation combined two equal sizes, and now one of them is broadcast",
    why="""\
An operation such as `x + y` was captured for two sizes that are equal, and the entry demands that
they stay so. A size of 1 in one of them is broadcast, which is another graph.""",
    fixes=(
        Fix(
            key="expand",
            text="give both their full size before the call: .expand(…).clone()",
        ),
    ),
    matches=lambda cause: _condition(cause) and _is_equality(cause),
)
SIZE_CONDITION = CauseRule(
    id="size-condition",
    title="A branch on a size went the other way",
    why="""\
A Python branch on a symbolic size is taken once, at capture, and the entry accepts the sizes that
go the same way (`x.shape[0] ≥ 9`). The other way is an entry of its own: one recompile a side, not
one a size. `mark_dynamic` and `dynamic=True` do not change that.

`torch.cond` puts both sides into one graph. It needs that both give tensors of the same shape and
type and change nothing else.""",
    fixes=(
        Fix(
            key="cond",
            text="where both sides give a tensor of one shape, torch.cond keeps one graph{at}",
        ),
    ),
    matches=lambda cause: _condition(cause) and not _is_equality(cause) and is_branch(cause),
)
SIZE_RANGE = CauseRule(
    id="size-range",
    title="A size left the range that an operation was captured for",
    why="""\
An operation does one thing for some sizes and another for others: `x[:5]` of fewer than five
elements, a view of a size that a number must divide. The entry accepts the sizes of its own side,
and the other side is one more entry. That is one recompile a side, not one a size.""",
    matches=lambda cause: _condition(cause) and not _is_equality(cause) and not is_branch(cause),
)
SIZE_RULES: tuple[CauseRule, ...] = (
    SIZE_RECOMPILE,
    SIZE_AFTER_BREAK,
    ARRAY_SIZE,
    ZERO_ONE,
    ZERO_ONE_INSIDE,
    PARAMETER_SIZE,
    SIZE_SPECIALISED,
    DYNAMIC_OFF,
    DUCK_SIZING,
    SIZE_BROADCAST,
    SIZE_CONDITION,
    SIZE_RANGE,
)
