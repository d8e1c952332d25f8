"""Recompiles because of a property of a tensor other than its sizes."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .arguments import is_tensor_class
from .base import CauseRule, Fix


def _kind(cause: Cause, *kinds: str) -> bool:
    """Of a tensor that the caller can change before the call."""
    return cause.row.kind in kinds and not _is_later(cause)


def _is_later(cause: Cause) -> bool:
    """Of the part of a function that goes on after a break."""
    return cause.row.root == "kept" or cause.resumed


def _classes(cause: Cause) -> bool:
    return is_tensor_class(cause) and not _is_later(cause)


def _parameter(cause: Cause) -> bool:
    return {cause.row.expected, cause.row.actual} == {"Tensor", "Parameter"}


def _inference(cause: Cause) -> bool:
    return _kind(cause, "tensor") and "inference mode" in cause.row.expected


def _bits(cause: Cause) -> bool:
    return _kind(cause, "tensor") and "lazily" in cause.row.expected


def _after_break(cause: Cause) -> bool:
    row = cause.row
    return _is_later(cause) and (row.kind in _OF_TENSORS or is_tensor_class(cause))


_OF_TENSORS = ("rank", "stride", "dtype", "device", "requires_grad", "tensor", "aliasing")

RANK_CHANGE = CauseRule(
    id="rank-change",
    title="A tensor has another number of dimensions",
    why="""\
The number of dimensions is never a symbol: each is an entry of its own, also with `dynamic=True`.
A batch that comes without its batch dimension, or a scalar in place of a vector, is captured
anew.""",
    fixes=(
        Fix(
            key="one_rank",
            text="give {source} the same number of dimensions in every call "
            "({was} and {now} came): unsqueeze or flatten it before the call",
        ),
    ),
    matches=lambda cause: _kind(cause, "rank"),
)
STRIDE_CHANGE = CauseRule(
    id="stride-change",
    title="A tensor of the same sizes is laid out otherwise in memory",
    why="""\
An entry is for the strides it was captured with. A transposed, sliced or expanded tensor, or one
in `channels_last`, has others than a contiguous one, and is captured anew. Strides that follow from
the sizes are no matter: where a dimension is a symbol they are symbols too.

`dynamic=True` spares some of it and not all: whether a stride is 1, and which one is larger, stays
guarded.""",
    fixes=(
        Fix(
            key="contiguous",
            text="pass {name}.contiguous(), which copies only what is not",
        ),
    ),
    matches=lambda cause: _kind(cause, "stride"),
)
DTYPE_CHANGE = CauseRule(
    id="dtype-change",
    title="A tensor has another dtype",
    why="""\
The dtype is fixed in a graph: each is an entry. It is often one call that is unlike the others, an
integer mask, a `float64` that came from NumPy, a `bfloat16` under autocast.""",
    fixes=(
        Fix(
            key="convert",
            text="pass {name} in one dtype in every call ({was} and {now} came): "
            "convert it before the call",
        ),
    ),
    matches=lambda cause: _kind(cause, "dtype"),
)
REQUIRES_GRAD_CHANGE = CauseRule(
    id="requires-grad-change",
    title="A tensor requires gradients in one call and not in another",
    why="""\
Whether an input requires gradients is guarded, for a graph that is differentiated is another one.
It is guarded under `torch.no_grad()` as well.""",
    fixes=(
        Fix(key="detach", text="where no gradient of it is wanted, pass {name}.detach()"),
        Fix(key="always", text="or let it require gradients in every call"),
    ),
    matches=lambda cause: _kind(cause, "requires_grad"),
)
DEVICE_CHANGE = CauseRule(
    id="device-change",
    title="A tensor is on another device",
    why="""\
A graph is for the devices it was captured on: each is an entry. With several devices of one kind,
so is each index.""",
    fixes=(
        Fix(
            key="move",
            text="move {name} to one device before the call ({was} and {now} came)",
        ),
    ),
    matches=lambda cause: _kind(cause, "device"),
)
INFERENCE_TENSOR = CauseRule(
    id="inference-tensor",
    title="A tensor was made under inference mode",
    why="""\
A tensor made under `torch.inference_mode()` stays without what autograd needs, also after the
block, and a graph for other tensors does not fit it. `torch.no_grad()` makes ordinary tensors.""",
    fixes=(
        Fix(
            key="no_grad",
            text="make {source} under torch.no_grad() in place of torch.inference_mode()",
        ),
        Fix(key="clone", text="or pass {source}.clone(), made outside inference mode"),
    ),
    matches=_inference,
)
TENSOR_BITS = CauseRule(
    id="tensor-bits",
    title="A tensor is a lazy view: conjugated, negated or the like",
    why="""\
`x.conj()` and the imaginary part of it set a bit on a view and compute nothing. A graph is for
tensors with the same bits (dispatch keys).""",
    fixes=(Fix(key="resolve", text="pass {source}.resolve_conj().resolve_neg()"),),
    matches=_bits,
)
PARAMETER_ARGUMENT = CauseRule(
    id="parameter-argument",
    title="A Parameter came where a plain tensor did",
    why="""\
The class of a tensor is guarded. `nn.Parameter` is a class of its own, which also has constant
sizes in a graph and requires gradients.""",
    fixes=(Fix(key="detach", text="where no gradient of it is wanted, pass {source}.detach()"),),
    matches=lambda cause: _classes(cause) and _parameter(cause),
)
TENSOR_CLASS = CauseRule(
    id="tensor-class",
    title="A tensor of another class came",
    why="""\
The class of a tensor is guarded: a subclass decides itself what operations do, so that it is
captured anew.""",
    fixes=(
        Fix(
            key="one_class",
            text="pass one class in every call ({was} and {now} came): "
            "{source}.as_subclass(torch.Tensor) is the plain tensor",
        ),
    ),
    matches=lambda cause: _classes(cause) and not _parameter(cause),
)
ALIASING = CauseRule(
    id="aliasing",
    title="Two arguments were the same tensor in one call and not in another",
    why="""\
A graph that changes one of its inputs would change the other too if they are one tensor, so
Dynamo guards that they are, or that they are not. Both ways are an entry.""",
    fixes=(
        Fix(
            key="clone",
            text="pass a copy where the same tensor would be passed twice: {source}.clone()",
        ),
    ),
    matches=lambda cause: (
        _kind(cause, "aliasing")
        and cause.row.source.isidentifier()
        and not cause.resumed
        and any("the same as" in value for value in cause.values)
    ),
)
MARKS_CHANGED = CauseRule(
    id="marks-changed",
    title="A tensor was marked after the first call",
    why="""\
An entry is for the dimensions that were marked on the tensor it was captured with, or fewer of
them. A mark that comes later, or on another dimension, is captured anew. Later calls need no marks:
those of the call that captures count.""",
    fixes=(
        Fix(
            key="first",
            text="mark {source} for the first call already, in every dimension that is marked "
            "later",
        ),
    ),
    matches=lambda cause: _kind(cause, "attribute") and "marked" in cause.row.expected,
)
TENSOR_AFTER_BREAK = CauseRule(
    id="tensor-after-break",
    title="A tensor that is kept over a graph break is of another kind",
    why="""\
What a function computes before a graph break is an argument of the part after it. Its dtype, its
strides and the like are guarded there once more, so that one change of an argument compiles both
parts anew.

Without the break there is no second part, and what is left to mend is told of the argument.""",
    fixes=(Fix(key="mend", text="mend the graph break, then there is no second part to compile"),),
    matches=_after_break,
)
TENSOR_RULES: tuple[CauseRule, ...] = (
    RANK_CHANGE,
    STRIDE_CHANGE,
    DTYPE_CHANGE,
    REQUIRES_GRAD_CHANGE,
    DEVICE_CHANGE,
    INFERENCE_TENSOR,
    TENSOR_BITS,
    PARAMETER_ARGUMENT,
    TENSOR_CLASS,
    ALIASING,
    MARKS_CHANGED,
    TENSOR_AFTER_BREAK,
)
