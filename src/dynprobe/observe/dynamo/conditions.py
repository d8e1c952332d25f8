"""What a guard demands of its source, in few words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from . import tensor_match
from .records import LeafGuard
from .words import Words, is_environ

_BOUND = re.compile(r"(\d+) <= [LG]\['[^<>=]+")
_TYPE = re.compile(r"type=<class '([^']+)'>")


def condition(leaf: LeafGuard, code: str, words: Words) -> str:
    """What must hold, in few words."""
    if leaf.kind == "TENSOR_MATCH":
        wanted = tensor_match.parse(code)
        return tensor_match.describe(wanted) if wanted else words.say(code)
    if leaf.kind == "TYPE_MATCH":
        kind = guarded_type(leaf)
        return f"is a {kind}" if kind else "is of the same type"
    if leaf.kind == "ID_MATCH":
        return f"is the same {guarded_type(leaf) or 'object'}"
    if leaf.kind == "GLOBAL_STATE":
        return "grad mode, autocast, default dtype and the like are unchanged"
    if leaf.kind == "TORCH_FUNCTION_MODE_STACK":
        return "the same torch function modes are active"
    if leaf.kind == "DIMENSION_DYNAMIC_MARKING_GUARD":
        return "the same dimensions are marked dynamic"
    if leaf.kind == "NO_TENSOR_ALIASING":
        return "no two of them are the same tensor"
    if leaf.kind in _SAID_OF:
        return _SAID_OF[leaf.kind](code)
    if leaf.source == "L" and (bound := _BOUND.fullmatch(code)):
        return f"≥ {bound[1]}"
    said, source = words.say(code), words.say(leaf.source)
    if is_environ(leaf.source):
        said = said.replace("== b", "== ", 1)
    return said.removeprefix(source).strip() if said.startswith(source + " ") else said


def _key_said(code: str) -> str:
    """`not ___dict_contains('scale', L['kw'])` is `has no key 'scale'`."""
    key = code.partition("_contains(")[2].rpartition(", ")[0]
    return f"has no key {key}" if code.startswith("not ") else f"has key {key}"


def _attribute_said(code: str) -> str:
    """`not hasattr(L['cfg'], 'z')` is `has no attribute 'z'`."""
    name = code.rpartition(", ")[2].removesuffix(")")
    return f"has no attribute {name}" if code.startswith("not ") else f"has attribute {name}"


_SAID_OF: Mapping[str, Callable[[str], str]] = {
    "DICT_CONTAINS": _key_said,
    "SET_CONTAINS": _key_said,
    "HASATTR": _attribute_said,
    "NO_HASATTR": _attribute_said,
}


def guarded_type(leaf: LeafGuard) -> str | None:
    """The name of the class of what a guard was made for."""
    match = _TYPE.search(leaf.parts[0])
    return match[1].rpartition(".")[2] if match else leaf.left_out or None
