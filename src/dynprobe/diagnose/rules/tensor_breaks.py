"""Graph breaks at what is done with tensors."""

from __future__ import annotations

from dynprobe.report import GraphBreak

from .autograd_breaks import AUTOGRAD_BREAK_RULES
from .base import BreakRule, Fix
from .control_flow_breaks import CONTROL_FLOW_BREAK_RULES
from .random_breaks import RANDOM_BREAK_RULES
from .sites import has_code, is_kind
from .storage_breaks import STORAGE_BREAK_RULES

_ITEM = ("GB0124", "Unsupported Tensor.item() call")
_TO_PYTHON = ("GB0033", "Data dependent operator", "Data-dependent operator")
_CAPTURE_SCALARS = "torch._dynamo.config.capture_scalar_outputs = True"


def _lists(site: GraphBreak) -> bool:
    if is_kind(site, "GB0109", "Tensor.tolist() with non-integer tensor"):
        return True
    return is_kind(site, *_ITEM, *_TO_PYTHON) and has_code(site, r"\.tolist\(\)")


def _numbers_by_numpy(site: GraphBreak) -> bool:
    number = is_kind(site, *_ITEM, *_TO_PYTHON, "GB0208", "torch.* op returned non-Tensor")
    return number and has_code(site, r"\b(?:np|numpy)\.(?!random)\w+\(.*\.shape\b")


def _makes_text(site: GraphBreak) -> bool:
    if is_kind(site, "GB0569", "repr() on tensor"):
        return True
    builtin = is_kind(site, "GB0059", "Failed to trace builtin operator")
    return builtin and "`str`" in site.explanation


NUMPY_NUMBER = BreakRule(
    id="numpy-number",
    title="NumPy computes a plain number",
    why="""\
Dynamo makes a tensor of each NumPy array and scalar. What NumPy computes of sizes or constants is
then a number read out of a tensor, where Python's own functions give one that Dynamo knows.""",
    fixes=(
        Fix(
            key="python",
            text="where it is about sizes or constants: Python's own, such as math.prod(x.shape) "
            "for np.prod(x.shape)",
        ),
    ),
    matches=_numbers_by_numpy,
)
TOLIST_CALL = BreakRule(
    id="tolist-call",
    title="A list of a tensor's elements",
    why="""\
`tolist()` needs the values, which are known only when the tensor has been computed: Dynamo ends the
graph, and Python reads them (on a GPU it waits for them). Of integers it can be captured; of floats
it cannot.""",
    fixes=(
        Fix(
            key="unbind",
            text="keep the elements as tensors: .unbind() in place of .tolist()",
        ),
        Fix(key="capture", text=f"or, of integers, {_CAPTURE_SCALARS}"),
    ),
    matches=_lists,
)
ITEM_CALL = BreakRule(
    id="item-call",
    title="A number is read out of a tensor",
    why="""\
`.item()`, `int()`, `float()` and `bool()` of a tensor, and a tensor as an index of a list or as a
bound of a slice, need its value, which is known only when it has been computed. Dynamo ends the
graph, and Python reads it (on a GPU it waits for it).

With `capture_scalar_outputs` the number is a symbol of the graph. A branch on that symbol, or a
text made of it, still breaks the graph.""",
    fixes=(
        Fix(key="keep", text="keep it a tensor of one element: leave the .item() or float() out"),
        Fix(
            key="capture",
            text=f"or, where nothing branches on the number, {_CAPTURE_SCALARS}",
        ),
    ),
    matches=lambda site: is_kind(site, *_ITEM),
)
TENSOR_TO_PYTHON = BreakRule(
    id="tensor-to-python",
    title="A function that answers about a tensor's values in Python",
    why="""\
`torch.equal`, `torch.allclose`, `torch.is_nonzero`, `math.sqrt` and the like give a Python value
that depends on what is in a tensor, and `not` asks a tensor for a truth value. Dynamo ends the
graph there. Their tensor counterparts stay in it.""",
    fixes=(
        Fix(
            key="tensor",
            text="use what gives a tensor: torch.isclose(a, b).all() for torch.allclose(a, b), "
            "torch.sqrt for math.sqrt",
        ),
    ),
    matches=lambda site: is_kind(site, *_TO_PYTHON),
)
DYNAMIC_OUTPUT_SHAPE = BreakRule(
    id="dynamic-output-shape",
    title="A result whose shape depends on values",
    why="""\
`x[mask]`, `nonzero`, `masked_select`, `unique`, `bincount` and `repeat_interleave` have results
whose size is known only when their input has been computed. Dynamo ends the graph there, unless it
is told to make that size a symbol. A branch on that symbol still breaks the graph.""",
    fixes=(
        Fix(
            key="where",
            text="keep the shape, where a reduction follows: torch.where(mask, x, 0.0).sum() for "
            "x[mask].sum()",
        ),
        Fix(key="capture", text="or torch._dynamo.config.capture_dynamic_output_shape_ops = True"),
    ),
    matches=lambda site: is_kind(site, "GB0036", "GB0037", "Dynamic shape operator"),
)
ONE_HOT = BreakRule(
    id="one-hot",
    title="one_hot without the number of classes",
    why="""\
Without `num_classes` the shape of the result depends on the largest value in the input, which is
known only when that has been computed.""",
    fixes=(Fix(key="num_classes", text="say how many: one_hot(x, num_classes=N)"),),
    matches=lambda site: is_kind(site, "GB0246", "Attempted to use `torch.nn.functional.one_hot`"),
)
TENSOR_TEXT = BreakRule(
    id="tensor-text",
    title="A text is made of a tensor's values",
    why="""\
`str()` and `repr()` of a tensor need its values, which are known only when it has been
computed.""",
    fixes=(
        Fix(
            key="outside",
            text="keep or return the tensor, and make the text of it outside {function}",
        ),
    ),
    matches=_makes_text,
)
TENSOR_SORT = BreakRule(
    id="tensor-sort",
    title="Python sorts tensors",
    why="""\
`sorted()` and `list.sort()` compare the tensors' values, which are known only when they have been
computed.""",
    fixes=(Fix(key="sort", text="let torch sort: torch.stack(tensors).sort().values"),),
    matches=lambda site: is_kind(site, "GB0207", "sort with non-constant keys"),
)
TENSOR_BREAK_RULES: tuple[BreakRule, ...] = (
    *CONTROL_FLOW_BREAK_RULES,
    *AUTOGRAD_BREAK_RULES,
    *STORAGE_BREAK_RULES,
    *RANDOM_BREAK_RULES,
    NUMPY_NUMBER,
    TOLIST_CALL,
    ITEM_CALL,
    TENSOR_TO_PYTHON,
    DYNAMIC_OUTPUT_SHAPE,
    ONE_HOT,
    TENSOR_TEXT,
    TENSOR_SORT,
)
