"""Which names a code object reads and calls, as its bytecode says."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Literal, NamedTuple

Scope = Literal["global", "closure", "local"]
_ROOTS: dict[str, Scope] = {
    "LOAD_GLOBAL": "global",
    "LOAD_NAME": "global",
    "STORE_GLOBAL": "global",
    "DELETE_GLOBAL": "global",
    "LOAD_DEREF": "closure",
    "LOAD_CLASSDEREF": "closure",
    "STORE_DEREF": "closure",
    "LOAD_FROM_DICT_OR_DEREF": "closure",
}
_STEPS = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR")
_BETWEEN = ("PRECALL", "CACHE", "NOP", "EXTENDED_ARG")


class Chain(NamedTuple):
    """`os.environ.get`: the scope and name it starts from, the attributes after it, its line. A
    chain that starts from anything else (`f().x`, an argument) has the name ""."""

    scope: Scope
    name: str
    steps: tuple[str, ...]
    line: int


@lru_cache(maxsize=4096)
def chains(code: CodeType) -> tuple[Chain, ...]:
    """Those of the code object and of all that is defined inside it, in order."""
    return tuple(_chains(code))


def _chains(code: CodeType) -> Iterator[Chain]:
    now: Chain | None = None
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = (step.positions and step.positions.lineno) or line
        if step.opname in _STEPS:
            now = now or Chain("local", "", (), line)
            now = now._replace(steps=(*now.steps, str(step.argval)))
            continue
        if step.opname in _BETWEEN:
            continue
        if now is not None:
            yield now
        scope = _ROOTS.get(step.opname)
        now = Chain(scope, str(step.argval), (), line) if scope else None
    if now is not None:
        yield now
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _chains(const)
