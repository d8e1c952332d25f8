"""Graph breaks at calls of functions that Dynamo does not go into."""

from __future__ import annotations

import re

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import callee, has_code, is_kind

_SKIPPED = ("GB0007", "GB0008", "GB0009", "Attempted to call function marked as skipped")
_INLINED = "Attempted to inline function marked as skipped"
_METHOD = ("GB0156", "Unsupported method call")
_CLOCK = re.compile(r"time\.\w+")
_PROCESS = re.compile(r"(?:posix|nt|os|sys|gc|_signal|signal|_thread|resource|_socket|socket)\.\w+")
_OUTSIDE = Fix(
    key="outside",
    text="call {callee} before {function} is called, and pass the result as an argument",
)
_OPERATION = "torch.library.custom_op with a register_fake"


def _skips(site: GraphBreak) -> bool:
    return is_kind(site, *_SKIPPED, _INLINED)


def _in_c(site: GraphBreak) -> bool:
    return _skips(site) and "builtin `" in site.explanation


def _reads_clock(site: GraphBreak) -> bool:
    if _skips(site) and _CLOCK.fullmatch(callee(site)):
        return True
    return is_kind(site, *_METHOD) and has_code(site, r"\bdatetime\b.*\.(?:now|utcnow|today)\(")


NUMPY_FUNCTION = BreakRule(
    id="numpy-function",
    title="A function of NumPy that torch does not have",
    why="""\
Dynamo captures NumPy code by way of `torch._numpy`, which has most of NumPy's functions but not all
of them. At one that it does not have, the graph ends. As a custom operation it is a call in the
graph, and runs in NumPy.""",
    fixes=(
        Fix(
            key="custom_op",
            text=f"make what calls it an operation of tensors: {_OPERATION}",
        ),
    ),
    matches=lambda site: is_kind(
        site, "GB0294", "attempted to trace numpy function unsupported", "Can't find numpy function"
    ),
)
NUMPY_OBJECTS = BreakRule(
    id="numpy-objects",
    title="A NumPy array of texts or objects",
    why="""\
Dynamo makes tensors of NumPy arrays, and there is no tensor of texts or objects: the frame that has
such an array is given up.""",
    fixes=(Fix(key="list", text="pass a list in place of the array: names.tolist()"),),
    matches=lambda site: is_kind(site, "GB0185", "failed to convert numpy.ndarray to Tensor"),
)
IMPORT_FAILURE = BreakRule(
    id="import-failure",
    title="An import that fails in the compiled function",
    why="""\
Dynamo runs imports that it meets, once. Where one fails it gives the frame up, even inside `try`:
the usual way to ask for an optional package.""",
    fixes=(
        Fix(
            key="module",
            text="move the import, with its try, out of {function} to the top of the file",
        ),
    ),
    matches=lambda site: is_kind(site, "GB0069", "Import failure"),
)
DISABLED_FUNCTION = BreakRule(
    id="disabled-function",
    title="A function under torch.compiler.disable",
    why="""\
Each call of a function under `torch.compiler.disable` ends the graph; the function runs eagerly. If
it must stay opaque, an operation registered with torch is a call in the graph.""",
    fixes=(
        Fix(key="remove", text="take torch.compiler.disable away, where it is not needed any more"),
        Fix(
            key="custom_op",
            text=f"or make it an operation of tensors: {_OPERATION}",
        ),
    ),
    matches=lambda site: is_kind(
        site, "GB0098", "GB0099", "Skip calling `torch.compiler.disable", "Skip inlining `torch.com"
    ),
)
EXPLICIT_BREAK = BreakRule(
    id="explicit-break",
    title="A break that the code asks for",
    why="`torch._dynamo.graph_break()` ends the graph, which is what it is for.",
    fixes=(Fix(key="remove", text="take torch._dynamo.graph_break() away from line {line}"),),
    matches=lambda site: is_kind(
        site, "GB0025", "GB4297", "Call to `torch._dynamo.graph_break", "Call to `torch._dynamo.sk"
    ),
)
CLOCK_READ = BreakRule(
    id="clock-read",
    title="The clock is read",
    why="""\
`time.time()`, `perf_counter()`, `sleep()` and `datetime.now()` are calls into C that have another
result each time, so Dynamo ends the graph and lets Python call them. A time taken between two parts
of a compiled function is that of the call into the graph: on a GPU, not of the work.""",
    fixes=(_OUTSIDE,),
    matches=_reads_clock,
)
PROCESS_READ = BreakRule(
    id="process-read",
    title="The process or the file system is asked",
    why="""\
Functions of `os`, `sys` and the like are calls into C that Dynamo does not know. It ends the graph
and lets Python call them. What is read from `os.environ` is captured, as a constant.""",
    fixes=(
        _OUTSIDE,
        Fix(
            key="constant",
            text="or, where the answer never changes, call it in a function under "
            "torch.compiler.assume_constant_result",
        ),
    ),
    matches=lambda site: _in_c(site) and _PROCESS.fullmatch(callee(site)) is not None,
)
NON_TENSOR_RESULT = BreakRule(
    id="non-tensor-result",
    title="A function of torch that gives no tensor",
    why="""\
A function of torch goes into the graph if its result is a tensor. One that tells something about
the machine or the settings in a number (`torch.get_num_threads()`, `torch.cuda.device_count()`)
ends it.""",
    fixes=(_OUTSIDE,),
    matches=lambda site: is_kind(site, "GB0208", "torch.* op returned non-Tensor"),
)
BUILTIN_FUNCTION = BreakRule(
    id="builtin-function",
    title="A function written in C that Dynamo does not know",
    why="""\
Dynamo captures Python. Of functions written in C (the standard library's, or those of an extension)
it knows only a list. At any other it ends the graph and lets Python call it. What an extension
computes from tensors can be one operation of the graph, if it is registered with
`torch.library.custom_op`.""",
    fixes=(_OUTSIDE,),
    matches=_in_c,
)
SKIPPED_FUNCTION = BreakRule(
    id="skipped-function",
    title="A function that Dynamo does not go into",
    why="""\
torch lists functions and files that Dynamo must not capture: parts of torch itself, and of the
standard library. A call of one ends the graph; the function runs in Python.""",
    fixes=(_OUTSIDE,),
    matches=_skips,
)
BUILTIN_CALL = BreakRule(
    id="builtin-call",
    title="A builtin that Dynamo does not capture",
    why="""\
`open`, `exec`, `compile`, `globals` and the like act on the process. Dynamo ends the graph and lets
Python call them.""",
    fixes=(_OUTSIDE,),
    matches=lambda site: is_kind(site, "GB0059", "Failed to trace builtin operator"),
)
UNSUPPORTED_METHOD = BreakRule(
    id="unsupported-method",
    title="A class or method written in C that Dynamo does not know",
    why="""\
Dynamo captures classes and methods written in Python. Of those written in C it knows only a list:
at any other (of `array`, of a lock, of an object of an extension) it ends the graph and lets Python
call it.""",
    fixes=(_OUTSIDE,),
    matches=lambda site: (
        is_kind(site, *_METHOD, "GB0147") or site.kind == "Unsupported function call"
    ),
)
CALL_BREAK_RULES: tuple[BreakRule, ...] = (
    NUMPY_FUNCTION,
    NUMPY_OBJECTS,
    IMPORT_FAILURE,
    DISABLED_FUNCTION,
    EXPLICIT_BREAK,
    CLOCK_READ,
    PROCESS_READ,
    NON_TENSOR_RESULT,
    BUILTIN_FUNCTION,
    SKIPPED_FUNCTION,
    BUILTIN_CALL,
    UNSUPPORTED_METHOD,
)
