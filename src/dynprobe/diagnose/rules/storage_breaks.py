"""Graph breaks at how a tensor is stored: layouts, memory, sizes changed in place."""

from __future__ import annotations

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import has_code, is_kind

_INPLACE_VIEW = "inplace view on a graph input"


def _views_in_place(site: GraphBreak) -> bool:
    if is_kind(site, "GB0072", "Inplace op on input tensor"):
        return True
    return is_kind(site, "GB0148", "Unsupported function call") and _INPLACE_VIEW in (
        site.explanation
    )


SPARSE_TENSOR = BreakRule(
    id="sparse-tensor",
    title="A sparse tensor",
    why="""\
Dynamo has no sparse tensors. A frame that has one among its arguments, its globals or what it keeps
over a graph break is given up as a whole, and so is each function that is handed one. What uses it
can be one operation of the graph, if it is registered as one.""",
    fixes=(
        Fix(
            key="custom_op",
            text="keep it out of compiled frames: make what uses it a torch.library.custom_op of "
            "dense tensors",
        ),
    ),
    matches=lambda site: is_kind(site, "GB0015", "GB0277", "Attempted to wrap sparse Tensor"),
)
NESTED_TENSOR = BreakRule(
    id="nested-tensor",
    title="A nested tensor of the strided layout",
    why="""\
Dynamo captures nested tensors of the layout `torch.jagged`. With one of the older, strided layout
(the default of `torch.nested.nested_tensor`) the frame is given up.""",
    fixes=(
        Fix(
            key="jagged",
            text="make it with layout=torch.jagged: torch.nested.nested_tensor(…, "
            "layout=torch.jagged)",
        ),
    ),
    matches=lambda site: is_kind(
        site, "GB0016", "GB0044", "Attempted to wrap strided NestedTensor", "Encountered strided N"
    ),
)
DATA_POINTER = BreakRule(
    id="data-pointer",
    title="Code that looks where a tensor lies in memory",
    why="""\
While Dynamo captures, tensors have no memory, so `data_ptr()` has no value to compare or compute
with. A comparison breaks the graph; arithmetic with it gives the whole frame up.""",
    fixes=(
        Fix(
            key="outside",
            text="ask before {function} is called, and pass the answer as an argument",
        ),
    ),
    matches=lambda site: (
        is_kind(site, "GB5976", "Data pointer comparison") or has_code(site, r"\.data_ptr\(\)")
    ),
)
DATA_ASSIGNMENT = BreakRule(
    id="data-assignment",
    title=".data of a tensor that was made here is set",
    why="""\
Setting `.data` of an argument or parameter is captured; of a tensor that the compiled function made
itself it is not. Rebinding the name, or an in-place copy, does the same.""",
    fixes=(
        Fix(key="rebind", text="rebind the name: y = … in place of y.data = …"),
        Fix(key="copy", text="or write the values in place: y.copy_(…)"),
    ),
    matches=lambda site: (
        is_kind(site, "GB0056", "GB0220", "GB5491", "Failed to mutate tensor data attribute")
        or (is_kind(site, "STORE_ATTR-caused graph break") and has_code(site, r"\.data\s*="))
    ),
)
OUT_ARGUMENT = BreakRule(
    id="out-argument",
    title="out= of another shape than the result's",
    why="""\
`out=` is captured where the tensor given has the shape of the result already. Where it would have
to be resized, Dynamo ends the graph.""",
    fixes=(
        Fix(key="sized", text="give out= a tensor of the result's shape: torch.empty_like(x)"),
        Fix(key="result", text="or take the result instead of out=: y = f(x)"),
    ),
    matches=lambda site: is_kind(site, "GB0247", "GB0240", "Shape mismatch with out="),
)
RESIZE_CALL = BreakRule(
    id="resize-call",
    title="A tensor is resized in place",
    why="Dynamo does not capture `resize_()`. A slice, or a new tensor, is captured.",
    fixes=(
        Fix(
            key="slice", text="take a slice, where it gets smaller: y[:n] in place of y.resize_(n)"
        ),
    ),
    matches=lambda site: is_kind(
        site,
        "GB0126",
        "GB0127",
        "Unsupported Tensor.resize_() call",
        "Unsupported Tensor.resize_as_() call",
    ),
)
INPLACE_VIEW = BreakRule(
    id="inplace-view",
    title="The shape of an argument is changed in place",
    why="""\
`unsqueeze_`, `squeeze_`, `transpose_` and `t_` of an argument change the caller's tensor. Dynamo
captures their counterparts without the underscore.""",
    fixes=(
        Fix(
            key="view",
            text="where the caller's own tensor need not change: the same without the underscore "
            "(x = x.unsqueeze(0))",
        ),
    ),
    matches=_views_in_place,
)
DEEPCOPY_TENSOR = BreakRule(
    id="deepcopy-tensor",
    title="copy.deepcopy of tensors",
    why="Dynamo does not go through `copy.deepcopy` of a tensor. `clone()` is captured.",
    fixes=(Fix(key="clone", text="copy tensors with .clone(), in a dict or list one by one"),),
    matches=lambda site: is_kind(
        site, "GB4198", "GB0179", "Attempted to copy.deepcopy a tensor", "copy.deepcopy()"
    ),
)
RECURRENT_MODULE = BreakRule(
    id="recurrent-module",
    title="An RNN, GRU or LSTM",
    why="""\
Dynamo gives up each frame that holds an `nn.RNN`, `nn.GRU` or `nn.LSTM`, unless it is told that it
may capture them.""",
    fixes=(Fix(key="allow_rnn", text="torch._dynamo.config.allow_rnn = True"),),
    matches=lambda site: is_kind(site, "GB0014", "Attempted to wrap RNN, GRU, or LSTM"),
)
STORAGE_BREAK_RULES: tuple[BreakRule, ...] = (
    SPARSE_TENSOR,
    NESTED_TENSOR,
    DATA_POINTER,
    DATA_ASSIGNMENT,
    OUT_ARGUMENT,
    RESIZE_CALL,
    INPLACE_VIEW,
    DEEPCOPY_TENSOR,
    RECURRENT_MODULE,
)
