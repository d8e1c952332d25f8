"""Sizes and numbers that are symbols: why, in which range, what they must equal, and which of
them the code made constants again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple

from ...report import DynamicDim, Line, Specialised
from . import taps
from .guards import split_part
from .places import Places
from .records import Compiling, SizeSeen, SymbolSeen
from .words import Words

AUTOMATIC = "automatic"
_SIZE = re.compile(r"(?P<tensor>.+)\.size\(\)\[(?P<dim>\d+)\]")
_HIDDEN = (".stride()[", ".storage_offset()", "._base")


class Sized(NamedTuple):
    """A size of an input, or a number that is one (`dim` None): the symbolic value itself."""

    source: str
    dim: int | None
    value: Any


def sizes_of(module: Any) -> list[Sized]:
    """The symbols among a graph's inputs, as they are called now; their values are read later."""
    found: dict[tuple[str, int | None], Sized] = {}
    for node in module.graph.nodes:
        if node.op == "placeholder":
            for sized in _of_input(node.meta.get("example_value"), taps.placeholder_source(node)):
                found.setdefault(sized[:2], sized)
    return list(found.values())


def _of_input(value: Any, source: str) -> Iterator[Sized]:
    if hasattr(value, "shape"):
        yield from (Sized(source, i, size) for i, size in enumerate(value.shape))
    elif source and not _is_hidden(source):
        yield Sized(*_taken_apart(source), value)


def _is_hidden(source: str) -> bool:
    return any(part in source for part in _HIDDEN)


def _taken_apart(source: str) -> tuple[str, int | None]:
    """`L['x'].size()[0]` is dimension 0 of `L['x']`."""
    match = _SIZE.fullmatch(source)
    return (match["tensor"], int(match["dim"])) if match else (source, None)


class Shapes:
    """`otherwise` says why a size became a symbol where the options alone settle it
    (`dynamic=True`), else it is "automatic"."""

    def __init__(self, otherwise: str) -> None:
        self._otherwise = otherwise
        self._codes: dict[int, CodeType] = {}  # kept, so that no id is used again
        self._seen: dict[int, dict[str, list[SizeSeen]]] = {}

    def sized(self, code: CodeType, seen: SizeSeen) -> None:
        """Notes a value that Dynamo compares with what came before."""
        self._codes[id(code)] = code
        values = self._seen.setdefault(id(code), {}).setdefault(seen.source, [])
        if seen not in values:
            values.append(seen)

    def read(self, compiling: Compiling, words: Words, places: Places) -> None:
        """Fills `dims` and `specialised` of a frame that was compiled."""
        if compiling.shape_env is None:
            return
        known = list(taps.symbols(compiling.shape_env))
        ties = _Ties(known, words, places)
        found: dict[tuple[str, int | None], DynamicDim] = {}
        for sized in [*compiling.sizes, *_floats(known)]:
            expr = taps.expression(sized.value)
            if expr is not None and sized[:2] not in found:
                why = self._why(compiling, sized)
                found[sized[:2]] = _dim(sized, expr, compiling.shape_env, words, why, ties)
        compiling.dims = tuple(found.values())
        compiling.specialised = tuple(_specialised(known, words, places))

    def _why(self, compiling: Compiling, sized: Sized) -> str:
        marked = _marked(sized, compiling.f_locals) or _listed(sized)
        if marked or self._otherwise != AUTOMATIC:
            return marked or self._otherwise
        seen = self._seen.get(id(compiling.code), {}).get(sized.source, [])
        changed = _changed(seen, sized.dim)
        if changed is None and sized.dim is None and sized.source.endswith(".item()"):
            return "always: the number in a tensor"
        return f"{AUTOMATIC}: {changed or 'changed before this observation'}"


def _marked(sized: Sized, f_locals: dict[str, Any]) -> str | None:
    if sized.dim is None:
        return None
    try:
        tensor = eval(sized.source, {"L": f_locals})
    except Exception:  # a source that hangs on more than the locals
        return None
    if sized.dim in taps.unbacked_dims(tensor):
        return "unbacked"
    return "marked" if sized.dim in taps.marked_dims(tensor) else None


def _listed(sized: Sized) -> str | None:
    if sized.dim is None or not taps.is_listed_dynamic(sized.source, sized.dim):
        return None
    return "named in dynamic_sources"


def _changed(seen: Sequence[SizeSeen], dim: int | None) -> str | None:
    """`4, then 5`: the first two values that differ."""
    for before, now in pairwise(seen):
        if dim is None:
            if before.scalar != now.scalar and None not in (before.scalar, now.scalar):
                return f"{before.scalar}, then {now.scalar}"
            if before.scalar is None and now.scalar is not None and before.sizes is not None:
                return f"a tensor, then {now.scalar}"
        elif before.sizes is not None and now.sizes is not None:
            if len(before.sizes) != len(now.sizes):
                return f"{len(before.sizes)}, then {len(now.sizes)} dimensions"
            if dim < len(now.sizes) and before.sizes[dim] != now.sizes[dim]:
                return f"{before.sizes[dim]}, then {now.sizes[dim]}"
    return None


def _dim(
    sized: Sized, expr: Any, env: Any, words: Words, why: str, ties: _Ties
) -> DynamicDim:  # fmt: skip
    low, high = taps.shape_range(env, expr)
    return DynamicDim(
        source=words.say(sized.source), dim=sized.dim, symbol=str(expr), low=low, high=high,
        reason=why, **ties.of(sized, expr),
    )  # fmt: skip


def _floats(known: Iterable[SymbolSeen]) -> Iterator[Sized]:
    """Python numbers that enter a graph as tensors of one element: no input of it is a symbol."""
    for symbol in known:
        for source in symbol.sources:
            name, dim = _taken_apart(source)
            if dim is None and not _is_hidden(source):
                yield Sized(name, None, _Plain(symbol.now))


class _Plain:
    """A symbol in the place of the symbolic value that torch hands out."""

    def __init__(self, expr: Any) -> None:
        self.node = self
        self.expr = expr


class _Ties:
    """Which sizes share a symbol, and what made them."""

    def __init__(self, known: Sequence[SymbolSeen], words: Words, places: Places) -> None:
        self._known = known
        self._words = words
        self._places = places

    def of(self, sized: Sized, expr: Any) -> dict[str, Any]:
        """The fields `tied`, `tied_by` and `tied_at` of a row."""
        alike = [symbol for symbol in self._known if symbol.now == expr]
        mine = sized.source if sized.dim is None else f"{sized.source}.size()[{sized.dim}]"
        others = [s for symbol in alike for s in symbol.sources if s != mine and not _is_hidden(s)]
        if not others:
            return {}
        # A symbol of its own that was replaced: code asked for the two to be equal.
        said = next((s.said for s in alike if s.name != str(s.now) and s.said), None)
        at = split_part(said, self._places).where if said else None
        return {
            "tied": tuple(dict.fromkeys(map(self._words.say, others))),
            "tied_by": "code" if len(alike) > 1 else "duck sizing",
            "tied_at": at,
        }


def _specialised(
    known: Iterable[SymbolSeen], words: Words, places: Places
) -> Iterator[Specialised]:
    for symbol in known:
        if not getattr(symbol.now, "is_number", False):
            continue
        stack = places.stack(symbol.stack)
        for source in symbol.sources:
            if not _is_hidden(source):
                name, dim = _taken_apart(source)
                yield Specialised(
                    source=words.say(name), dim=dim, symbol=symbol.name, stack=stack,
                    value=_value(symbol.now), where=_asked(symbol, stack, places),
                )  # fmt: skip


def _asked(symbol: SymbolSeen, stack: tuple[Line, ...], places: Places) -> Line | None:
    near = places.nearest_user(stack)
    if near is None and symbol.said:
        near = split_part(symbol.said, places).where
    return near or (stack[-1] if stack else None)


def _value(number: Any) -> int | float:
    return int(number) if number.is_integer else float(number)
