"""What the objects are that an entry knows by identity: torch's guard has their `id` alone."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..values.avals import aval_text, type_name
from .said import another
from .scope import Scope
from .taps import leaf_guards
from .words import is_library_source

_KIND = "ID_MATCH"
_NAMED = ("function ", "class ")


def names_of_identities(manager: Any, f_locals: dict[str, Any]) -> dict[str, str]:
    """By torch's source, as they are now: `function sin`, `class Adam`, `Mode.FAST`. An object
    that has no name of its own is left out."""
    scope = Scope(manager, f_locals)
    found: dict[str, str] = {}
    for leaf in leaf_guards(manager):
        if leaf.kind != _KIND or is_library_source(leaf.source):
            continue
        try:
            name = _name(scope.peek(leaf.source))
        except Exception:  # no value there, or one that resists
            continue
        if name is not None:
            found[leaf.source] = name
    return found


def _name(value: Any) -> str | None:
    if issubclass(type(value), Enum):
        return aval_text(value)
    said = another(value, "", type_name(value))
    return said if said.startswith(_NAMED) else None
