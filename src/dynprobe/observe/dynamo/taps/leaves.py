"""The leaf guards of an entry, alike on every torch that is supported.

torch 2.9 leaves out of its guards' texts the class of a guarded object and the state of the
process. Both are noted when an entry is made and told with the guard from then on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from ..records import LeafGuard
from .read import MARK, global_state

_Noted = Mapping[tuple[str, str], str]
_noted: WeakKeyDictionary[Any, _Noted] = WeakKeyDictionary()
_MARKING = "DIMENSION_DYNAMIC_MARKING_GUARD"


def leaf_guards(manager: Any) -> Iterator[LeafGuard]:
    """Every leaf guard of an entry's guard tree, root first, then those evaluated last."""
    noted = _noted_of(manager)
    for leaf in _leaves(getattr(manager, "root", None)):
        said = noted.get((leaf.source, leaf.kind), "")
        yield leaf._replace(left_out=said) if said else leaf


def _leaves(root: Any) -> Iterator[LeafGuard]:
    if root is None:
        return
    seen: dict[int, Any] = {}  # keeps the wrappers alive, or their ids would be used again
    stack = [root]
    while stack:
        node = stack.pop()
        source = "L" if node is root else str(node.get_source())
        for leaf in node.get_leaf_guards():
            # An aliasing guard hangs on every tensor it speaks of; it is one guard.
            if id(leaf) in seen:
                continue
            seen[id(leaf)] = leaf
            yield from _leaf(source, leaf)
        stack.extend(reversed([*node.get_child_managers(), *_of_items(node)]))
    for leaf in root.get_epilogue_lambda_guards():
        yield from _leaf("L", leaf)


def _of_items(node: Any) -> Iterator[Any]:
    """Of a dict that the code iterates over, an entry guards keys and values by their place: they
    hang on the dict's node in a list of their own."""
    pairs = node.get_key_value_managers() if hasattr(node, "get_key_value_managers") else {}
    for index in sorted(pairs):
        yield from (manager for manager in pairs[index] if manager is not None)


def _leaf(source: str, leaf: Any) -> Iterator[LeafGuard]:
    parts = tuple(str(part) for part in leaf.verbose_code_parts())
    if parts != (MARK,):
        yield LeafGuard(source, _kind(leaf, parts[0] if parts else ""), parts, leaf)


_NAN = {"__math_isnan(": "FLOAT_IS_NAN", "__numpy_isnan(": "COMPLEX_IS_NAN"}


def _kind(leaf: Any, text: str) -> str:
    """The leaf's class; of what later versions have a class of its own for, that one."""
    kind = type(leaf).__name__
    if kind == "LAMBDA_GUARD":
        return next((later for start, later in _NAN.items() if text.startswith(start)), kind)
    marks = kind in ("NO_HASATTR", "DYNAMIC_INDICES") and "_dynamo_dynamic_indices" in text
    return _MARKING if marks else kind


def note_left_out(manager: Any, state: str, class_of: Callable[[str], str]) -> None:
    """Of a new entry, what its guards' texts leave out: `state` is that of the process when the
    capture began, `class_of` names the class of a source's value and may raise."""
    found = {}
    for leaf in _leaves(getattr(manager, "root", None)):
        if leaf.parts and _leaves_out(leaf.kind, leaf.parts[0]):
            with contextlib.suppress(Exception):  # no value there
                of_process = leaf.kind == "GLOBAL_STATE"
                found[leaf.source, leaf.kind] = state if of_process else class_of(leaf.source)
    if found:
        _noted[manager] = found


def _leaves_out(kind: str, text: str) -> bool:
    if kind == "GLOBAL_STATE":
        return " against " not in text
    return kind in ("TYPE_MATCH", "ID_MATCH") and "type=<class " not in text


def _noted_of(manager: Any) -> _Noted:
    try:
        return _noted.get(manager, {})
    except TypeError:  # of what cannot be referred to weakly nothing is noted
        return {}


def state_text() -> str:
    """As `global_state`; "" where this torch cannot tell it."""
    with contextlib.suppress(Exception):
        return global_state()
    return ""
