"""The guard tree of a cache entry, as rows a person can read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from ...report import Guard, GuardKind, Line, Origin, Root
from .accepted import Range, range_of, sizes_of, value_of
from .conditions import condition, guarded_type
from .places import Places, make_line
from .records import LeafGuard
from .taps import guard_info, guard_scope, leaf_guards
from .words import Words, is_environ, is_library_source

KINDS: dict[str, GuardKind] = {
    "TENSOR_MATCH": "tensor",
    "TYPE_MATCH": "type",
    "ID_MATCH": "identity",
    "EQUALS_MATCH": "value",
    "CONSTANT_MATCH": "value",
    "NONE_MATCH": "value",
    "TRUE_MATCH": "value",
    "FALSE_MATCH": "value",
    "FLOAT_IS_NAN": "value",
    "COMPLEX_IS_NAN": "value",
    "RANGE_ITERATOR_MATCH": "value",
    "LENGTH_CHECK": "length",
    "DICT_LENGTH": "length",
    "TUPLE_ITERATOR_LEN": "length",
    "DICT_CONTAINS": "dict_keys",
    "SET_CONTAINS": "dict_keys",
    "DICT_VERSION": "dict_keys",
    "MAPPING_KEYS_MATCH": "dict_keys",
    "HASATTR": "attribute",
    "NO_HASATTR": "attribute",
    "DIMENSION_DYNAMIC_MARKING_GUARD": "attribute",
    "GLOBAL_STATE": "global_state",
    "TORCH_FUNCTION_MODE_STACK": "function_mode",
    "DEFAULT_DEVICE": "default_device",
    "NO_TENSOR_ALIASING": "aliasing",
    "OBJECT_ALIASING": "aliasing",
    "STORAGE_OVERLAPPING": "aliasing",
    "NOT_NONE": "lifetime",
    "FAKE_SCRIPT_TYPE_MATCH": "type",
    "DISPATCH_KEY_SET_MATCH": "tensor",
    "DUAL_LEVEL_MATCH": "global_state",
    "SYMBOLIC_SHAPE_GUARD": "symbolic",
}
AMBIENT = ("GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "DUAL_LEVEL_MATCH")
_NAMED = 3  # sources of a condition that are named; more are counted
_INNER = re.compile(r"__(?!dict__\[)\w+__|\btype\(")
_GLOBAL = re.compile(r"G\['([^']+)'\]")
_TABLE_OF_MODULE = re.compile(
    r"(?:\.|__dict__\[')_(?:modules|parameters|buffers|\w+_hooks)(?:'\])?(?:$|\)\)\[)"
)
_STEPS = r"[LG]\['[^']+'\](?:\[[^\]]+\]|\.\w+(?:\(\))?)*"
# A NumPy array is guarded as the tensor that is made of it.
_SOURCE = re.compile(rf"(?:___from_numpy\({_STEPS}\)(?:\[[^\]]+\]|\.\w+(?:\(\))?)*|{_STEPS})")
_TAIL = re.compile(r"(?P<file>\S+\.py):(?P<line>\d+) in (?P<function>\S+)")


class Part(NamedTuple):
    """A guard's text taken apart: the condition, and the user's line torch prints after it."""

    code: str
    where: Line | None


def split_part(text: str, places: Places) -> Part:
    code, tail = _code_and_tail(text)
    match = _TAIL.search(tail)
    if match is None:
        return Part(code.strip(), None)
    file = places.complete(match["file"])
    return Part(code.strip(), make_line(file, int(match["line"]), match["function"]))


def _code_and_tail(text: str) -> tuple[str, str]:
    """Cut at the first `  # ` that is not inside a string the user's value brought with it."""
    code, mark, tail = text.partition("  # ")
    if mark and _may_be_cut(code) and not _is_whole(code):
        cuts = [match.start() for match in re.finditer("  # ", text)]
        cut = next((at for at in cuts[1:] if _is_whole(text[:at])), cuts[0])
        return text[:cut], text[cut:].removeprefix("  # ")
    return code, tail


def _may_be_cut(code: str) -> bool:
    """Whether a string may be open at its end; cheap, for it is asked of every guard."""
    return code.count("'") % 2 == 1 or code.count('"') % 2 == 1 or "\\" in code


def _is_whole(code: str) -> bool:
    try:
        ast.parse(code.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


Stacks = Mapping[str, tuple[Line, ...]]
"""Source → the user's stack that first made Dynamo guard it, outermost first."""


def stacks_of(guards: Iterable[Any], places: Places) -> dict[str, tuple[Line, ...]]:
    found: dict[str, tuple[Line, ...]] = {}
    for guard in guards:
        source, _, summaries = guard_info(guard)
        if summaries and source not in found:
            found[source] = places.stack(summaries)
    return found


def origin_of(
    leaf: LeafGuard, where: Line | None, places: Places, globals_: Mapping[str, Any]
) -> Origin:
    """Whose object a guard hangs on."""
    if leaf.kind in AMBIENT or "init_ambient_guards" in leaf.parts[0]:
        return "ambient"
    if leaf.source == "L" and not _SOURCE.search(leaf.parts[0]):
        return "ambient"  # of no value of the frame: which torch.func transforms are active
    if leaf.kind == "DIMENSION_DYNAMIC_MARKING_GUARD":
        return "library"
    if is_environ(leaf.source):
        return "user"
    if is_library_source(leaf.source) or _on_library_module(leaf.source, globals_, places):
        return "library"
    if leaf.kind == "DICT_CONTAINS" and leaf.source.endswith(".__dict__"):
        return "library"  # "forward" is not overridden on the instance, and the like
    if _TABLE_OF_MODULE.search(leaf.source):
        return "library"  # torch's own table of submodules, parameters or buffers
    if leaf.source == "L" and _only_library_sources(leaf.parts[0], where, globals_, places):
        return "library"
    # Read by a library's own code: off a global, off an object's inner workings, or a decorator's
    # look at how it was called.
    inner = leaf.source.startswith("G[") or leaf.source in ("L['args']", "L['kwargs']")
    inner = inner or bool(_INNER.search(leaf.source))
    if inner and where is not None and not places.is_user(where.file):
        return "library"
    return "user"


def _on_library_module(source: str, globals_: Mapping[str, Any], places: Places) -> bool:
    """`G['torch'].sin`: a module of a library that the user's file imported."""
    root = _GLOBAL.match(source)
    module = globals_.get(root[1]) if root else None
    if not isinstance(module, ModuleType):
        return False
    file = getattr(module, "__file__", None)
    return not file or not places.is_user(file)


def _only_library_sources(
    text: str, where: Line | None, globals_: Mapping[str, Any], places: Places
) -> bool:
    """Of a condition; a global that a library's own code reads is the library's."""
    inner = where is not None and not places.is_user(where.file)
    found = _SOURCE.findall(text.partition("  # ")[0])
    return bool(found) and all(
        is_library_source(source)
        or _on_library_module(source, globals_, places)
        or _TABLE_OF_MODULE.search(source)
        or (inner and source.startswith("G["))
        for source in found
    )


def kind_of(leaf: LeafGuard) -> GuardKind:
    if leaf.kind == "LAMBDA_GUARD":
        if "saved_tensors_hooks" in leaf.parts[0]:
            return "global_state"
        if " is " in leaf.parts[0].partition("  # ")[0]:
            return "aliasing"
        if leaf.source != "L":
            return "other"
        return "symbolic" if _SOURCE.search(leaf.parts[0]) else "global_state"
    if leaf.kind == "DICT_CONTAINS" and leaf.source.endswith(".__dict__"):
        return "attribute"
    return KINDS.get(leaf.kind, "other")


def guard_rows(manager: Any, words: Words, places: Places, stacks: Stacks) -> tuple[Guard, ...]:
    """One row a leaf guard; a shape guard has a row for each of its conditions."""
    rows: list[Guard] = []
    globals_ = guard_scope(manager, {})["G"]
    leaves = list(leaf_guards(manager))
    floats = {leaf.source for leaf in leaves if _wants_float(leaf)}
    for leaf in leaves:
        parts = leaf.parts if leaf.source == "L" else leaf.parts[:1]
        for text in parts:
            part = split_part(text, places)
            stack = stacks.get(leaf.source, ())
            where = stack[-1] if stack else part.where
            low, high = _range(leaf, part.code, floats)
            rows.append(
                Guard(
                    source=_said_source(leaf, part.code, words),
                    kind=kind_of(leaf),
                    condition=condition(leaf, part.code, words),
                    origin=origin_of(leaf, where, places, globals_),
                    where=where,
                    near=places.near(where, stack),
                    text=text,
                    root=_root(leaf, part.code, words),
                    value=value_of(leaf, part.code),
                    sizes=sizes_of(leaf, part.code),
                    low=low,
                    high=high,
                )
            )
    return tuple(rows)


def _wants_float(leaf: LeafGuard) -> bool:
    return leaf.kind == "TYPE_MATCH" and guarded_type(leaf) == "float"


def _range(leaf: LeafGuard, code: str, floats: set[str]) -> Range:
    """Of a condition over the whole frame that speaks of one source."""
    sources = set(_SOURCE.findall(code)) if leaf.source == "L" else set()
    if len(sources) != 1:
        return Range()
    source = sources.pop()
    return range_of(code, source, is_float=source in floats)


def _root(leaf: LeafGuard, code: str, words: Words) -> Root:
    """Where what is guarded is reached from; "other" where its sources have not one root."""
    if leaf.kind in AMBIENT:
        return "process"
    told = words.root(leaf.source)
    if told != "other":
        return told
    roots = {words.root(source) for source in _SOURCE.findall(code)}
    return roots.pop() if len(roots) == 1 else "other"


def _said_source(leaf: LeafGuard, code: str, words: Words) -> str:
    if leaf.kind == "NO_TENSOR_ALIASING":
        return _sources_in(code, words)
    return words.source(leaf.source) or _sources_in(code, words)


def _sources_in(code: str, words: Words) -> str:
    """The sources a condition over the whole frame speaks of: `x.shape[0]`."""
    names = list(dict.fromkeys(words.say(s) for s in _SOURCE.findall(code)))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
