"""A captured graph as the report keeps it: its operations, its inputs, its symbols."""

from __future__ import annotations

import re
from typing import Any

from ...report import DynamicDim, Graph, Line, Op
from ..values.avals import aval_text
from .places import Places, clean_name, make_line
from .taps import marked_dims, placeholder_source
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


class Why:
    """Why a size became a symbol: it was marked on the tensor itself, else `otherwise`."""

    def __init__(self, f_locals: dict[str, Any], otherwise: str) -> None:
        self._scope = {"L": f_locals}
        self._otherwise = otherwise

    def of(self, source: str, dim: int) -> str:
        try:
            tensor = eval(source, self._scope)
        except Exception:  # a source that hangs on more than the locals
            return self._otherwise
        return "marked" if dim in marked_dims(tensor) else self._otherwise

    def of_number(self) -> str:
        return self._otherwise


def dynamic_dims(module: Any, shape_env: Any, words: Words, why: Why) -> tuple[DynamicDim, ...]:
    """Sizes and Python numbers that are symbols in this graph's inputs."""
    found: list[DynamicDim] = []
    for node in module.graph.nodes:
        if node.op != "placeholder":
            continue
        value, source = node.meta.get("example_value"), placeholder_source(node)
        if hasattr(value, "shape"):
            for i, size in enumerate(value.shape):
                if _is_symbol(size):
                    reason = why.of(source, i)
                    found.append(_dim(size, shape_env, words.say(source), i, reason))
        elif _is_symbol(value) and ".size()" not in source and ".stride()" not in source:
            found.append(_dim(value, shape_env, words.say(source), None, why.of_number()))
    return tuple(found)


def _is_symbol(value: Any) -> bool:
    node = getattr(value, "node", None)
    return node is not None and getattr(node, "expr", None) is not None and not node.expr.is_number


def _dim(
    value: Any, shape_env: Any, source: str, dim: int | None, reason: str | None
) -> DynamicDim:
    expr = value.node.expr
    low, high = _range(shape_env, expr)
    return DynamicDim(source=source, dim=dim, symbol=str(expr), low=low, high=high, reason=reason)


def _range(shape_env: Any, expr: Any) -> tuple[int | None, int | None]:
    ranges = getattr(shape_env, "var_to_range", None) or {}
    found = ranges.get(expr)
    if found is None:
        return None, None
    return _bound(found.lower), _bound(found.upper)


def _bound(value: Any) -> int | None:
    try:
        number = int(value)
    except Exception:  # torch's own infinities raise what they please
        return None
    return number if abs(number) < 2**62 else None
