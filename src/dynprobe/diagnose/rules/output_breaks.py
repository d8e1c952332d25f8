"""Graph breaks at what is printed, logged and warned of."""

from __future__ import annotations

import re

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import callee, has_code, is_call, is_kind

_STREAM = re.compile(r"of class `\w*(?:IO|File|Stream|Writer|Reader|Random)")
_QUIET = Fix(
    key="is_compiling",
    text="leave it out of compiled runs: if not torch.compiler.is_compiling(): …",
)


def _prints(site: GraphBreak) -> bool:
    if is_kind(site, "GB0296", "attempted to reorder a debugging function"):
        return has_code(site, r"\bprint\(")
    builtin = is_kind(site, "GB0059", "Failed to trace builtin operator")
    return builtin and callee(site) == "print"


def _logs(site: GraphBreak) -> bool:
    if is_kind(site, "GB0291", "logging.Logger method not supported", "Logger not supported"):
        return True
    return has_code(site, r"\blogging\.(?:debug|info|warning|error|exception|critical|log)\(")


def _writes(site: GraphBreak) -> bool:
    method = is_kind(site, "GB0156", "Unsupported method call")
    called = is_call(site, "write|writelines|flush|read|readline|readlines")
    return method and called and _STREAM.search(site.explanation) is not None


PRINT_CALL = BreakRule(
    id="print-call",
    title="print() in the compiled function",
    why="""\
Dynamo does not print: it ends the graph, lets Python print, and captures the rest as a graph of its
own. Told that `print` may be moved, it captures one graph and prints after it; that holds for
tensors, constants and f-strings of these, not for `file=` or a `torch.Size`.""",
    fixes=(
        _QUIET,
        Fix(
            key="reorder",
            text="or let it print after the graph: "
            "torch._dynamo.config.reorderable_logging_functions.add(print)",
        ),
    ),
    matches=_prints,
)
LOGGING_CALL = BreakRule(
    id="logging-call",
    title="A logger in the compiled function",
    why="""\
Dynamo does not log, not even where the logger's level would keep it silent: it ends the graph and
lets Python call the logger. Told to ignore a logging method, it leaves the call out, so that
nothing is logged.""",
    fixes=(
        _QUIET,
        Fix(
            key="ignore",
            text="or have such calls left out: torch._dynamo.config.ignore_logger_methods"
            ".add(logging.Logger.debug), each method by its own name",
        ),
    ),
    matches=_logs,
)
WARNING_CALL = BreakRule(
    id="warning-call",
    title="warnings.warn in the compiled function",
    why="""\
Dynamo does not warn: it ends the graph and lets Python call `warnings.warn`. Told to ignore it, it
leaves the call out, so that nothing is warned of.""",
    fixes=(
        _QUIET,
        Fix(
            key="ignore",
            text="or have such calls left out: "
            "torch._dynamo.config.ignore_logging_functions.add(warnings.warn)",
            since=(2, 13),
        ),
    ),
    matches=lambda site: is_call(site, r"_?warnings\.warn(?:_explicit)?"),
)
STREAM_WRITE = BreakRule(
    id="stream-write",
    title="A stream is written or read in the compiled function",
    why="""\
Files and the standard streams are objects written in C, whose methods Dynamo does not know. It ends
the graph and lets Python call them.""",
    fixes=(_QUIET,),
    matches=_writes,
)
OUTPUT_BREAK_RULES: tuple[BreakRule, ...] = (
    PRINT_CALL,
    LOGGING_CALL,
    WARNING_CALL,
    STREAM_WRITE,
)
