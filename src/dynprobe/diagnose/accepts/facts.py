"""What one entry holds each source to: its guards, sorted by what they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dynprobe.report import DynamicDim, Entry, Guard, GuardKind, Line

from .intervals import Interval, Number
from .tensors import Wanted, wanted

_KEY = re.compile(r"has (?P<no>no )?(?:key (?P<key>.+)|attribute '(?P<attribute>.+)')", re.DOTALL)
_NOT = re.compile(r"(?P<source>.+) != (?P<number>-?\d+)")
_LAST = re.compile(r"(?P<parent>.+?)(?:\.\w+(?:\(\))?|\[(?P<key>[^\[\]]+)\])", re.DOTALL)
_TYPE = re.compile(r"is an? (?P<type>.+)")
_ITEM = re.compile(r"L\['\w+'\]\['(\w+)'\]")
_CODE = ".__code__"  # a function that is called is guarded by its code
_OBJECT = re.compile(r"check_obj_id\(.*?, (?P<id>\d+)\)")


@dataclass
class Fact:
    """Of one source in one entry. `outside` are single numbers that are not accepted; `there` is
    whether it must exist (a key, an attribute)."""

    kind: GuardKind
    where: Line | None
    value: str | None = None
    type: str | None = None
    identity: str | None = None
    tensor: Guard | None = None
    wanted: Wanted | None = None
    low: Number | None = None
    high: Number | None = None
    outside: list[int] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    there: bool | None = None
    other: bool = False

    @property
    def interval(self) -> Interval:
        return self.low, self.high


@dataclass
class Facts:
    """Of one entry. `together` are conditions on several sources."""

    compile_id: str
    known: dict[str, Fact] = field(default_factory=dict)
    together: list[Guard] = field(default_factory=list)
    dims: dict[str, DynamicDim] = field(default_factory=dict)

    def of(self, source: str, guard: Guard, kind: GuardKind | None = None) -> Fact:
        return self.known.setdefault(source, Fact(kind or guard.kind, guard.near or guard.where))


def facts_of(entries: Sequence[Entry]) -> list[Facts]:
    """The user's guards of a frame's entries, and their symbols."""
    own = {e.compile_id: [g for g in e.guards if g.origin == "user"] for e in entries}
    names = _named_arguments([guard for guards in own.values() for guard in guards])
    return [_facts(entry, own[entry.compile_id], names) for entry in entries]


def _facts(entry: Entry, own: Sequence[Guard], names: set[str]) -> Facts:
    facts = Facts(entry.compile_id)
    for guard in own:
        _add(facts, guard, names)
    for dim in entry.dynamic_dims:
        name = dim.source if dim.dim is None else f"{dim.source}.shape[{dim.dim}]"
        facts.dims[name] = dim
    return facts


def _add(facts: Facts, guard: Guard, names: set[str]) -> None:
    if guard.kind == "symbolic":
        _symbolic(facts, guard)
    elif guard.kind in ("dict_keys", "attribute") and (match := _KEY.fullmatch(guard.condition)):
        child = _child(guard, match, names)
        facts.of(child, guard).there = match["no"] is None
    elif guard.kind == "aliasing":
        facts.together.append(guard)
    elif guard.kind == "length":
        facts.of(f"len({bare(guard.source)})", guard).value = guard.value
    elif guard.kind == "identity" and guard.source.endswith(_CODE):
        fact = facts.of(guard.source.removesuffix(_CODE), guard)
        fact.identity, fact.kind = f"function code {_object_id(guard)}", "identity"
    elif guard.kind not in ("lifetime", "backend"):
        _one(facts.of(guard.source, guard), guard)


def _one(fact: Fact, guard: Guard) -> None:
    if guard.kind == "tensor":
        fact.tensor, fact.wanted, fact.kind = guard, wanted(guard), "tensor"
    elif guard.value is not None:
        fact.value, fact.kind = guard.value, "value"
    elif guard.kind == "identity":
        name = guard.condition.removeprefix("is the same ")
        fact.identity, fact.kind = f"{name} {_object_id(guard)}", "identity"
    elif guard.kind == "type":
        match = _TYPE.fullmatch(guard.condition)
        fact.type = match["type"] if match else "value of the same type"
    else:
        fact.other = True
        fact.conditions.append(guard.condition)


def _object_id(guard: Guard) -> str:
    match = _OBJECT.search(guard.text)
    return match["id"] if match else ""


def _symbolic(facts: Facts, guard: Guard) -> None:
    if ", " in guard.source:
        facts.together.append(guard)
        return
    fact = facts.of(guard.source, guard)
    if guard.low is not None or guard.high is not None:
        fact.low = guard.low if fact.low is None else fact.low
        fact.high = guard.high if fact.high is None else fact.high
    elif (match := _NOT.fullmatch(guard.condition)) and match["source"] == bare(guard.source):
        fact.outside.append(int(match["number"]))
    elif guard.condition == f"not math.isnan({bare(guard.source)})":
        fact.conditions.append("not NaN")
    else:
        fact.conditions.append(guard.condition)


def _child(guard: Guard, match: re.Match[str], names: set[str]) -> str:
    if match["attribute"]:
        return f"{guard.source}.{match['attribute']}"
    name = match["key"].strip("'\"")
    # A `**kwargs` parameter vanishes from sources: its items are called by their own names.
    return name if name in names else f"{guard.source}[{match['key']}]"


def _named_arguments(guards: Sequence[Guard]) -> set[str]:
    """Arguments that came by name into a `**kwargs`: `kw['scale']` is said `scale`."""
    return {g.source for g in guards for name in _ITEM.findall(g.text) if name == g.source}


def bare(source: str) -> str:
    """Without what it is: as conditions and lengths write it."""
    return source.removeprefix("global ").removeprefix("closure ")


def ancestors(source: str) -> Iterator[tuple[str, str | None]]:
    """What a source is read from, nearest first, with the key or index of the step (None: an
    attribute): of `d['a'].b`: `d['a']`, None, then `d`, "'a'"."""
    while match := _LAST.fullmatch(source):
        source = match["parent"]
        yield source, match["key"]
