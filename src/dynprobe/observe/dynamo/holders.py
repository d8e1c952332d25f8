"""What a guarded value is read from: an attribute of a module, an item of a list, a global."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...report import Holder


def holder_of(source: str, value_of: Callable[[str], Any]) -> Holder | None:
    """Of a source such as `L['self'].calls`; None where it is read from nothing but the frame.
    `value_of` evaluates a source; where it raises, what the value is read from is not known."""
    holder = _holder_source(source)
    if holder is None:
        return None
    try:
        return _kind(value_of(holder))
    except Exception:
        return None


def _holder_source(source: str) -> str | None:
    """The source without its last step; a step through `__dict__` or a module's own tables
    (`_parameters`) is none of its own."""
    node = _parsed(source)
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
        if not (isinstance(node, ast.Attribute) and _is_table(node.attr)):
            break
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return None
    return ast.unparse(node)


def _parsed(source: str) -> ast.AST | None:
    try:
        return ast.parse(source, mode="eval").body
    except SyntaxError:
        return None


def _is_table(name: str) -> bool:
    return name in ("__dict__", "_modules", "_parameters", "_buffers")


def _kind(holder: Any) -> Holder:
    import torch

    kinds: tuple[tuple[type | tuple[type, ...], Holder], ...] = (
        (torch.nn.Module, "module"),
        (torch.optim.Optimizer, "optimizer"),
        (torch.Tensor, "tensor"),
        (ModuleType, "file"),
        (type, "class"),
        (dict, "dict"),
        (list, "list"),
        (tuple, "tuple"),
    )
    return next((kind for cls, kind in kinds if isinstance(holder, cls)), "object")
