"""What a guarded value is read from: an attribute of a module, an item of a list, a global."""

from __future__ import annotations

import ast
import re
import weakref
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

from ...report import Holder
from .scope import Scope
from .taps import guard_sources
from .words import is_library_source

Kept = Mapping[str, "weakref.ref[Any]"]
"""Source → what was there when an entry was captured, kept alive by nobody here."""

_KEY = re.compile(r"list\(dict\.keys\((?P<of>.+)\)\)\[\d+\]")
_OF_FUNCTION = re.compile(
    r"(?P<of>.+)\.(?:__closure__\[\d+\]\.cell_contents|__kwdefaults__\[[^\]]+\]|__defaults__\[\d+\])"
)
_LIVES: tuple[Holder, ...] = ("module", "optimizer", "object", "class", "file")


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


def is_same_holder(source: str, value_of: Callable[[str], Any], kept: Kept) -> bool | None:
    """Whether a value is read from the very object that the entry was captured with. None where
    it is read from the frame alone, or from what Python cannot refer to weakly (a dict, a list)."""
    holder = _holder_source(source)
    then = kept.get(holder) if holder is not None else None
    if holder is None or then is None:
        return None
    try:
        return value_of(holder) is then()
    except Exception:
        return None


def kept_holders(manager: Any, f_locals: dict[str, Any]) -> Kept:
    """The modules and objects that an entry's guarded values are read from, as they are now."""
    scope = Scope(manager, f_locals)
    found: dict[str, weakref.ref[Any]] = {}
    for holder in {_holder_source(source) for source in guard_sources(manager)}:
        if holder is None or is_library_source(holder):
            continue
        try:
            value = scope.value(holder)
            if _kind(value) in _LIVES:
                found[holder] = weakref.ref(value)
        except Exception:  # no value there, or none that can be referred to weakly
            continue
    return found


@lru_cache(maxsize=4096)
def _holder_source(source: str) -> str | None:
    """The source without its last step; a step through `__dict__` or a module's own tables
    (`_parameters`) is none of its own, nor is one through a function's cells and defaults."""
    whole = _KEY.fullmatch(source) or _OF_FUNCTION.fullmatch(source)
    if whole is not None:
        return whole["of"]
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
    """By its type: its own `__class__` may say what it likes."""
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
    return next((kind for cls, kind in kinds if issubclass(type(holder), cls)), "object")
