"""The values that an entry's guards are asked about: a frame's locals and globals, by source."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from .access import NOT_THERE
from .taps import guard_scope, guard_sources

_CELL = re.compile(r"(?P<of>.+?)\.__closure__\[(?P<index>\d+)\]\.cell_contents")


class NotReachedError(Exception):
    """A guard that cannot be asked about these values: what it hangs on failed before it. Only
    asking may raise it; a fault while a row is made is a fault of ours, and is told as one."""


@lru_cache(maxsize=4096)
def _compiled(source: str) -> CodeType:
    """All entries of a frame speak of the same sources."""
    return compile(source, "<guard>", "eval")


def holds(ask: Callable[..., Any], *args: Any) -> bool:
    """What a guard answers. Raises NotReachedError where it raises."""
    try:
        return bool(ask(*args))
    except Exception as error:
        raise NotReachedError from error


def cell_names(manager: Any, f_locals: dict[str, Any]) -> dict[str, str]:
    """Of an entry's sources that are a function's cell, the name of the variable in it."""
    scope = Scope(manager, f_locals)
    found: dict[str, str] = {}
    for source in guard_sources(manager):
        match = _CELL.match(source)
        if match is None or match[0] in found:
            continue
        with contextlib.suppress(Exception):  # a callable of the user's own
            function = scope.peek(match["of"])
            if type(function) is FunctionType:
                found[match[0]] = function.__code__.co_freevars[int(match["index"])]
    return found


class Scope:
    """Evaluates sources (`L['self'].calls`), each once. `lost` are those whose value is not
    there, with the KeyError, IndexError or AttributeError that said so."""

    def __init__(self, manager: Any, f_locals: dict[str, Any]) -> None:
        self._locals = f_locals
        self._names = guard_scope(manager, f_locals)
        self._values: dict[str, Any] = {}
        self.lost: dict[str, Exception] = {}

    def value(self, source: str) -> Any:
        """Raises NotReachedError where there is none."""
        try:
            return self._value(source)
        except Exception as error:
            if isinstance(error, NOT_THERE):
                self.lost[source] = error
            raise NotReachedError from error

    def _value(self, source: str) -> Any:
        if source == "L":
            return self._locals
        if source not in self._values:
            self._values[source] = eval(_compiled(source), self._names)
        return self._values[source]

    def peek(self, source: str) -> Any:
        """As `value`, for a row that is made anyway: what is not there is not lost by it. Raises
        whatever reading it raises."""
        return self._value(source)

    def evaluate(self, code: str) -> Any:
        """A condition or a part of one, as torch writes it. Raises what it raises."""
        return eval(_compiled(code), self._names)
