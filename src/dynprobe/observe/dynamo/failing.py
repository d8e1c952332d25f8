"""Every guard of a cache entry that does not hold for the values of a call.

torch names the first; here each leaf of the guard tree is called on its own value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...report import FailedGuard, Line
from ..values.avals import aval_text, type_name
from . import tensor_match
from .access import Lost, hangs_on, lost_steps
from .guards import Stacks, origin_of, split_part
from .holders import Kept, holder_of, is_same_holder
from .places import Places
from .process_state import is_state, state_differences
from .records import LeafGuard
from .relations import is_relation, say_raised, say_relation
from .said import Said, say_leaf
from .scope import NotReachedError, Scope, holds
from .taps import leaf_guards
from .words import Words

_DICT_LENGTH = re.compile(r"len\((?P<source>.+)\) != (?P<length>\d+)")
_NOT_REACHED = 50  # sources that are told


@dataclass(frozen=True)
class Known:
    """What is known of an entry from when it was captured: the user's stacks that led to its
    guards, what its guarded values were read from, what it knows by identity (`function sin`), and
    its backend, which torch 2.9 does not tell of an entry."""

    stacks: Stacks = field(default_factory=dict)
    holders: Kept = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    backend: Any = None


class Failing:
    """The failing guards of one entry against one frame's locals. `asked` counts the guards that
    answered, `unasked` has the others by their class."""

    def __init__(
        self, manager: Any, f_locals: dict[str, Any], words: Words, places: Places, known: Known
    ) -> None:
        self._manager = manager
        self._words = words
        self._places = places
        self._known = known
        self._scope = Scope(manager, f_locals)
        self._other_type: set[str] = set()
        self._out_of_reach: dict[str, LeafGuard] = {}
        self._raised: dict[str, str] = {}  # conditions by what they raised
        self.asked = 0
        self.unasked: dict[str, int] = {}

    def rows(self) -> list[FailedGuard]:
        found: list[FailedGuard] = []
        # Types first: the C++ guards of a list's length or an iterator's place trust them.
        for leaf in sorted(leaf_guards(self._manager), key=lambda leaf: leaf.kind != "TYPE_MATCH"):
            rows = self._ask(leaf)
            found.extend(rows)
            if rows and leaf.kind == "TYPE_MATCH":
                self._other_type.add(leaf.source)
        return _distinct(found)

    def ambient_rows(self) -> list[FailedGuard]:
        """Only guards of the process's state (grad mode, autocast, …): they need no locals."""
        rows: list[FailedGuard] = []
        for leaf in leaf_guards(self._manager):
            if leaf.source == "L" and is_state(leaf):
                rows.extend(self._ask(leaf))
        return _distinct(rows)

    def not_reached(self, rows: list[FailedGuard]) -> tuple[str, ...]:
        """After `rows`: the user's sources whose guards cannot be asked, for what they hang on
        failed; not those that a row tells of already."""
        told = {"", *(row.source for row in rows)}
        globals_ = self._scope.value("G")
        found: dict[str, None] = {}
        for source, leaf in self._out_of_reach.items():
            said = self._words.source(source.removesuffix(".__code__"))
            where = split_part(leaf.parts[0], self._places).where
            if said in told or self._words.root(source) == "process":
                continue
            if origin_of(leaf, where, self._places, globals_) == "user":
                found[said] = None
        return tuple(found)[:_NOT_REACHED]

    def steps(self, rows: list[FailedGuard], *, only_plain: bool) -> list[FailedGuard]:
        """Keys, items and attributes that guards hang on and that are not there, but for what
        `rows` tell; after them."""
        lost = lost_steps(self._scope.lost, self._other_type, only_plain=only_plain)
        told = {row.source for row in rows}
        found = [row for row in map(self._step, lost) if row.source not in told]
        if not only_plain:
            return found
        # An item behind the end of a list whose length is told already says nothing more.
        return [row for row in found if f"len({row.source.rpartition('[')[0]})" not in told
                or row.kind != "length"]  # fmt: skip

    def _step(self, step: Lost) -> FailedGuard:
        said = Said(self._words.source(step.source), step.kind, "there", "missing", step.source)
        if step.source.endswith(".__code__"):
            holder = step.source.removesuffix(".__code__")
            source, now = self._words.source(holder), type_name(self._scope.value(holder))
            said = Said(source, "type", "a function", now, holder)
        stacks = self._known.stacks.items()
        stack = next((s for name, s in stacks if hangs_on(name, step.source)), ())
        return self._row(said, step.source, stack)

    def length_of_dict(self, says: str) -> list[FailedGuard]:
        """A dict that is iterated over has its length held by the guard tree itself, by no leaf:
        only torch's text (`len(L['d']) != 2`) tells it."""
        match = _DICT_LENGTH.fullmatch(says)
        if match is None:
            return []
        of = match["source"]
        now = str(len(self._scope.value(of)))
        said = Said(f"len({self._words.source(of)})", "length", match["length"], now, of)
        return [self._row(said, says, self._known.stacks.get(of, ()))]

    def _ask(self, leaf: LeafGuard) -> list[FailedGuard]:
        try:
            if leaf.source in self._other_type:
                raise NotReachedError
            rows = list(self._leaf(leaf))
        except NotReachedError:
            self._miss(leaf)
            return []
        self.asked += 1
        return rows

    def _miss(self, leaf: LeafGuard) -> None:
        self._out_of_reach.setdefault(leaf.source, leaf)
        self.unasked[leaf.kind] = self.unasked.get(leaf.kind, 0) + 1

    def _leaf(self, leaf: LeafGuard) -> Iterator[FailedGuard]:
        if is_relation(leaf) and not is_state(leaf):
            for text in leaf.parts:
                yield from self._condition(leaf, text)
            return
        value = self._scope.value(leaf.source)
        if holds(leaf.leaf, value):
            return
        if is_state(leaf):
            for difference in state_differences(leaf, self._manager):
                yield self._leaf_row(leaf, Said(*difference, of="L"))
        elif leaf.kind == "TENSOR_MATCH":
            yield from self._tensor(leaf, value)
        else:
            said = say_leaf(leaf, value, self._scope, self._words)
            then = self._known.identities.get(leaf.source)
            if then is not None and then != said.actual:
                said = said._replace(expected=then)
            yield self._leaf_row(leaf, said)

    def _condition(self, leaf: LeafGuard, text: str) -> Iterator[FailedGuard]:
        """One of a guard's conditions: the others are asked though one of them raises."""
        try:
            found = say_relation(leaf, text, self._scope, self._words)
        except NotReachedError as error:
            self._raised[str(error.__cause__)] = text
            self._miss(leaf)
            return
        for said in found:
            yield self._leaf_row(leaf, said, text)

    def raised(self, says: str) -> list[FailedGuard]:
        """After `rows`: a condition that raises is no failed guard but where torch stopped at it,
        with what it raised (`says`)."""
        text = self._raised.get(says)
        said = say_raised(text, self._scope, self._words) if text else None
        return [self._row(said, says, ())] if said else []

    def _tensor(self, leaf: LeafGuard, value: Any) -> Iterator[FailedGuard]:
        source = self._words.source(leaf.source)
        wanted = tensor_match.parse(leaf.parts[0])
        if wanted is None:
            said = Said(source, "tensor", "as captured", aval_text(value), leaf.source)
            yield self._leaf_row(leaf, said)
            return
        for d in tensor_match.differences(wanted, value):
            said = Said(source + d.suffix, d.kind, d.expected, d.actual, leaf.source)
            if d.kind == "grad_mode":
                said = said._replace(source="inference mode", of="L")
            yield self._leaf_row(leaf, said)

    def _leaf_row(self, leaf: LeafGuard, said: Said, text: str | None = None) -> FailedGuard:
        return self._row(said, text or leaf.parts[0], self._known.stacks.get(leaf.source, ()))

    def _row(self, said: Said, text: str, stack: tuple[Line, ...]) -> FailedGuard:
        where = stack[-1] if stack else split_part(text, self._places).where
        kept = self._known.holders
        process = said.of == "L"
        return FailedGuard(
            source=said.source, kind=said.kind, expected=said.expected, actual=said.actual,
            text=text,
            root="process" if process else self._words.root(said.of),
            holder=holder_of(said.of, self._scope.peek),
            same_holder=is_same_holder(said.of, self._scope.peek, kept),
            type=self._type(said.of),
            **place_fields(where, stack, self._places),
        )  # fmt: skip

    def _type(self, source: str) -> str | None:
        """The class of the value now."""
        if source == "L":
            return None
        try:
            return type_name(self._scope.peek(source))
        except Exception:
            return None


def place_fields(where: Line | None, stack: tuple[Line, ...], places: Places) -> Mapping[str, Any]:
    """file, line, function, code, near and stack of a row."""
    if where is None:
        return {}
    return {
        "file": where.file, "line": where.line, "function": where.function, "code": where.text,
        "near": places.near(where, stack), "stack": stack,
    }  # fmt: skip


def _distinct(rows: list[FailedGuard]) -> list[FailedGuard]:
    """One row a fact: a dict and its `__dict__` are guarded twice for the same reason."""
    seen: dict[tuple[str, str, str], FailedGuard] = {}
    for row in rows:
        seen.setdefault((row.source, row.kind, row.expected), row)
    return list(seen.values())
