"""A captured graph as the report keeps it: its operations and its inputs."""

from __future__ import annotations

import re
from typing import Any

from ...report import Graph, Line, Op
from ..values.avals import aval_text
from .places import Places, clean_name, make_line
from .taps import placeholder_source
from .words import Words

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>[^\n]+)')


def count_ops(module: Any) -> int:
    """Call nodes: what torch's counter `calls_captured` counts."""
    return sum(1 for node in module.graph.nodes if "call" in node.op)


def graph_of(module: Any, words: Words, places: Places, *, code: bool) -> Graph:
    """The graph as it was handed to the backend."""
    lines: dict[str, Line | None] = {}
    ops = tuple(
        Op(name=_op_name(node), aval=_aval(node), where=_where(node, places, lines))
        for node in module.graph.nodes
        if "call" in node.op
    )
    inputs = tuple(
        f"{_input_name(node, words)}: {_aval(node) or '?'}"
        for node in module.graph.nodes
        if node.op == "placeholder"
    )
    return Graph(ops=ops, inputs=inputs, code=_code(module) if code else None)


def _op_name(node: Any) -> str:
    if isinstance(node.target, str):
        return str(node.target)
    return str(getattr(node.target, "__name__", None) or node.target)


def _aval(node: Any) -> str | None:
    value = node.meta.get("example_value")
    return None if value is None else aval_text(value)


def _where(node: Any, places: Places, lines: dict[str, Line | None]) -> Line | None:
    """The innermost line of the user's own code, else the innermost line."""
    trace = node.meta.get("stack_trace")
    if not trace:
        return None
    if trace not in lines:
        found = list(_FRAME.finditer(trace))
        mine = [m for m in found if places.is_user(m["file"])] or found
        last = mine[-1] if mine else None
        lines[trace] = last and make_line(last["file"], int(last["line"]), clean_name(last["name"]))
    return lines[trace]


def _input_name(node: Any, words: Words) -> str:
    source = placeholder_source(node)
    return words.say(source) if source else str(node.name)


def _code(module: Any) -> str:
    return str(module.print_readable(print_output=False, include_stride=False))
