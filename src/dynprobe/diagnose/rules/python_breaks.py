"""Graph breaks at what plain Python does."""

from __future__ import annotations

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .call_breaks import CALL_BREAK_RULES
from .output_breaks import OUTPUT_BREAK_RULES
from .sites import is_call, is_kind

_CONTEXT = ("GB0142", "GB0262", "Unsupported context manager", "unsupported contextlib.* API")
_METHOD = ("GB0156", "Unsupported method call")


def _in_functools(site: GraphBreak) -> bool:
    lock = is_kind(site, *_CONTEXT) and "RLock" in site.explanation
    return lock and site.file.endswith("functools.py")


CACHED_PROPERTY = BreakRule(
    id="cached-property",
    title="A functools.cached_property is read for the first time",
    why="""\
Before Python 3.12 `functools.cached_property` takes a lock when it is read first, and Dynamo knows
no locks: the frame is given up. Once it has been read, it is a plain attribute.""",
    fixes=(
        Fix(key="read", text="read it once before {frame} is called, or set it in __init__"),
        Fix(key="property", text="or make it a plain property"),
    ),
    matches=_in_functools,
)
DEVICE_CONTEXT = BreakRule(
    id="device-context",
    title="with torch.device(...) in the compiled function",
    why="""\
`torch.device` as a context manager changes which device tensors are made on. Dynamo does not
capture it, and gives up the frame that enters it. A device that is active when the compiled
function is called is captured.""",
    fixes=(
        Fix(key="device", text="give the device to what makes tensors: torch.ones(n, device=…)"),
        Fix(key="around", text="or hold it around the call of {function}"),
    ),
    matches=lambda site: is_kind(site, *_CONTEXT) and is_call(site, "device"),
)
CONTEXT_MANAGER = BreakRule(
    id="context-manager",
    title="A context manager that Dynamo does not know",
    why="""\
Dynamo captures context managers written in Python, and torch's own for gradients, autocast and
profiling. It cannot enter one written in C (a lock, a file) or one that it was told to skip, and
gives up the frame that tries.""",
    fixes=(Fix(key="around", text="hold it around the call of {function}, not in it"),),
    matches=lambda site: is_kind(site, *_CONTEXT),
)
CLASS_DEFINITION = BreakRule(
    id="class-definition",
    title="A class is defined in the compiled function",
    why="Dynamo does not capture a `class` statement: it ends the graph and lets Python run it.",
    fixes=(Fix(key="outside", text="define the class at the top of the file"),),
    matches=lambda site: is_kind(
        site, "GB8977", "GB0075", "Invalid call to __build_class__", "LOAD_BUILD_CLASS"
    ),
)
OBJECT_GETATTRIBUTE = BreakRule(
    id="object-getattribute",
    title="An attribute is read with object.__getattribute__",
    why="""\
`object.__getattribute__(self, name)` is a function written in C that Dynamo does not know; a frame
that comes to it while it looks an attribute up is given up. The plain `self.name`, and `super()` in
a `__getattribute__` of one's own, are captured.""",
    fixes=(
        Fix(
            key="plain",
            text="in a __getattr__: self.name or self.__dict__[name] in place of "
            "object.__getattribute__(self, name)",
        ),
        Fix(key="super", text="in a __getattribute__: super().__getattribute__(name)"),
    ),
    matches=lambda site: is_kind(site, *_METHOD) and is_call(site, "__getattribute__"),
)
GENERATOR_FRAME = BreakRule(
    id="generator-frame",
    title="A generator as a frame of its own",
    why="""\
A generator is left and entered again at each `yield`, which a compiled frame cannot be: called from
Python it runs eagerly. A generator that a compiled function makes and uses up is captured with it.

After a graph break, generators of the standard library that run in Python show up here too; nothing
of the model is lost by them.""",
    fixes=(
        Fix(
            key="consume",
            text="compile the function that uses {function} up (for, list(), tuple(), sum())",
        ),
    ),
    matches=lambda site: is_kind(site, "GB0003", "Attempt to trace generator"),
)
RAISE_IN_FRAME = BreakRule(
    id="raise-in-frame",
    title="An exception ends the frame while it is captured",
    why="""\
The frame raised while Dynamo went through it, and nothing in it caught the exception. Dynamo gives
the frame up for good and lets Python run it, which raises the same exception if it is real. If
Python raises nothing, Dynamo took an operation for one that fails: arithmetic with `data_ptr()`, or
`len()` of an f-string that holds a tensor.""",
    matches=lambda site: is_kind(site, "GB0088", "GB0089", "Observed exception"),
)
PYTHON_BREAK_RULES: tuple[BreakRule, ...] = (
    *OUTPUT_BREAK_RULES,
    CACHED_PROPERTY,
    DEVICE_CONTEXT,
    CONTEXT_MANAGER,
    CLASS_DEFINITION,
    OBJECT_GETATTRIBUTE,
    GENERATOR_FRAME,
    *CALL_BREAK_RULES,
    RAISE_IN_FRAME,
)
