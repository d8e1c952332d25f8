"""The rows of one frame: what its entries accept together, source by source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dynprobe.report import Accepts, Frame, GuardKind, Line

from .alternatives import Alternative, size, unguarded, value
from .facts import Fact, Facts, bare, facts_of
from .intervals import covers, union
from .said import objects, said
from .strides import strides

_SIZE = re.compile(r".+\.shape\[\d+\]")
_STRIDE = re.compile(r".+\.stride\(\)\[\d+\]")
_PROPERTIES: tuple[tuple[str, GuardKind], ...] = (
    (".dtype", "dtype"), (".device", "device"), (".requires_grad", "requires_grad"),
)  # fmt: skip

Ask = Callable[[Facts, str], Alternative]


class Subject(NamedTuple):
    """A source that entries guard, and how to ask one of them about it."""

    source: str
    kind: GuardKind
    where: Line | None
    ask: Ask


def frame_rows(frame: Frame, miss: str) -> Iterator[Accepts]:
    """`miss` is what a value that no entry accepts makes a call do: "recompiles", …"""
    every = facts_of(frame.entries)
    for subject in _subjects(every):
        row = _row(frame.function, subject, every, miss)
        if row is not None:
            yield row


def _subjects(every: Sequence[Facts]) -> list[Subject]:
    found: dict[str, Subject] = {}
    asked: set[tuple[str, bool]] = set()  # a source, and whether it was a tensor
    for facts in every:
        for source, fact in facts.known.items():
            if (source, fact.tensor is None) in asked:
                continue
            asked.add((source, fact.tensor is None))
            for subject in _of_fact(source, fact, every):
                found.setdefault(subject.source, subject)
        for guard in facts.together:
            if guard.kind == "aliasing":
                found.setdefault(guard.source, _relation(guard.source, guard.near or guard.where))
    return list(found.values())


def _of_fact(source: str, fact: Fact, every: Sequence[Facts]) -> Iterator[Subject]:
    where = fact.where
    if fact.tensor is not None:
        yield from _of_tensor(source, fact, every)
    elif _SIZE.fullmatch(source):
        yield Subject(source, "size", where, size)
    elif not _STRIDE.fullmatch(source) and _is_worth(source, every):
        yield Subject(source, fact.kind, where, value)


def _is_worth(source: str, every: Sequence[Facts]) -> bool:
    """Of an attribute, only what its value is: classes of submodules are no one's to change."""
    facts = [facts.known[source] for facts in every if source in facts.known]
    holds = any(f.value is not None or f.there is not None or f.tensor for f in facts)
    numbers = any(f.interval != (None, None) or f.type in ("int", "float") for f in facts)
    return holds or numbers or ("." not in bare(source) and "__" not in source)


def _of_tensor(source: str, fact: Fact, every: Sequence[Facts]) -> Iterator[Subject]:
    mine = [f for facts in every if (f := facts.known.get(source)) is not None]
    tensors = [f for f in mine if f.tensor is not None]
    unread = any(f.tensor and f.tensor.sizes is None for f in tensors)
    if unread or (fact.wanted is not None and fact.wanted.is_state):
        yield Subject(source, "tensor", fact.where, _as_captured)
        dims = [i for f in tensors for i, s in enumerate(_sizes(f)) if s is None]
    else:
        yield Subject(source, "rank", fact.where, _rank if len(tensors) == len(mine) else value)
        dims = [i for f in tensors for i in range(len(_sizes(f)))]
        if all(f.wanted is not None for f in tensors):
            yield from _properties(source, fact)
    for dim in sorted(set(dims)):
        yield Subject(f"{source}.shape[{dim}]", "size", fact.where, size)


def _properties(source: str, fact: Fact) -> Iterator[Subject]:
    for suffix, kind in _PROPERTIES:
        yield Subject(source + suffix, kind, fact.where, _property(source, kind))
    if fact.wanted and fact.wanted.stride:
        yield Subject(f"{source}.stride()", "stride", fact.where, _stride(source))


def _sizes(fact: Fact) -> tuple[int | None, ...]:
    return (fact.tensor.sizes or ()) if fact.tensor is not None else ()


def _as_captured(facts: Facts, source: str) -> Alternative:
    """A parameter or buffer as a whole: `f32[4,4] grad`."""
    fact = facts.known.get(source)
    if fact is None or fact.tensor is None:
        return value(facts, source)
    return Alternative(facts.compile_id, (fact.tensor.condition,), noun="tensor")


def _rank(facts: Facts, source: str) -> Alternative:
    fact = facts.known.get(source)
    if fact is None or fact.tensor is None:
        return unguarded(facts, source)
    return Alternative(facts.compile_id, (str(len(_sizes(fact))),), noun="rank")


def _property(tensor: str, kind: GuardKind) -> Ask:
    def ask(facts: Facts, source: str) -> Alternative:
        fact = facts.known.get(tensor)
        wanted = fact.wanted if fact else None
        if wanted is None:
            return unguarded(facts, source)
        found = getattr(wanted, kind)
        return Alternative(facts.compile_id, (str(found),) if found is not None else ())

    return ask


def _stride(tensor: str) -> Ask:
    def ask(facts: Facts, source: str) -> Alternative:
        fact = facts.known.get(tensor)
        if fact is None or fact.wanted is None:
            return unguarded(facts, source)
        return Alternative(facts.compile_id, (strides(facts, tensor, fact),))

    return ask


def _relation(source: str, where: Line | None) -> Subject:
    def ask(facts: Facts, source: str) -> Alternative:
        said = [g.condition for g in facts.together if g.source == source]
        return Alternative(facts.compile_id, tuple(said), any_value=not said, noun="relation")

    return Subject(source, "aliasing", where, ask)


def _row(function: str, subject: Subject, every: Sequence[Facts], miss: str) -> Accepts | None:
    found = [subject.ask(facts, subject.source) for facts in every]
    found = [a for a in found if a.values or a.ranges or a.any_value or a.objects or a.conditions]
    if all(a.any_value and not a.conditions for a in found):
        return None
    ranges = union(r for a in found for r in a.ranges)
    free = union(r for a in found if not a.conditions for r in a.ranges)
    values = [v for a in found for v in a.values if not (v.isdigit() and covers(free, int(v)))]
    values += objects(found)
    return Accepts(
        function=function, source=subject.source, kind=_kind(subject, found), where=subject.where,
        text=said(found, miss), values=tuple(dict.fromkeys(values)), ranges=ranges,
        any_value=any(a.any_value for a in found),
        conditions=tuple(dict.fromkeys(c for a in found for c in a.conditions)),
        entries=tuple(a.compile_id for a in found),
    )  # fmt: skip


def _kind(subject: Subject, found: Sequence[Alternative]) -> GuardKind:
    """A tensor that may be something else too is told by what it is."""
    mixed = subject.kind == "rank" and any(a.noun != "rank" for a in found if not a.any_value)
    return "value" if mixed else subject.kind
