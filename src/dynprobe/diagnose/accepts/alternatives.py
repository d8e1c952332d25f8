"""What one entry accepts of one source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dynprobe.report import Guard

from .facts import Fact, Facts, ancestors, bare
from .intervals import Interval, common, without

MISSING, THERE = "missing", "there"
_SIZE = re.compile(r"(?P<tensor>.+)\.shape\[(?P<dim>\d+)\]")
_NUMBERS = ("int", "float")


@dataclass(frozen=True)
class Alternative:
    """`values` as Python writes them or as a person says them, `ranges` of numbers, `any_value`:
    it is not looked at. `conditions` must hold as well. Nothing of all: it cannot be there."""

    compile_id: str
    values: tuple[str, ...] = ()
    ranges: tuple[Interval, ...] = ()
    any_value: bool = False
    conditions: tuple[str, ...] = ()
    noun: str = "value"
    objects: tuple[str, ...] = field(default=())  # identities: `C 1234`


def size(facts: Facts, source: str) -> Alternative:
    """Of a dimension, `x.shape[0]`."""
    match = _SIZE.fullmatch(source)
    assert match is not None
    tensor, dim = facts.known.get(match["tensor"]), int(match["dim"])
    if tensor is None or tensor.tensor is None:
        return _number(facts, source, "size") if source in facts.known else unguarded(facts, source)
    sizes = tensor.tensor.sizes or ()
    if dim >= len(sizes):
        return Alternative(facts.compile_id)
    wanted = sizes[dim]
    if wanted is not None:
        return Alternative(facts.compile_id, (str(wanted),), noun="size")
    return _number(facts, source, "size")


def _number(facts: Facts, source: str, noun: str) -> Alternative:
    fact, dim = facts.known.get(source), facts.dims.get(source)
    least = 0 if noun == "size" else None
    found: Interval | None = common(fact.interval if fact else (None, None), (least, None))
    # What an unbacked size must be is asserted in the graph, and guarded by nothing.
    if found and dim is not None and dim.reason != "unbacked":
        found = common(found, (dim.low, dim.high)) or found
    ranges = without(found, fact.outside if fact else ()) if found else ()
    conditions = _conditions(facts, source, fact)
    if noun == "float" and found and found != (None, None):
        conditions = tuple(c for c in conditions if c != "not NaN")
    return Alternative(
        facts.compile_id, ranges=ranges, conditions=conditions, noun=noun
    )  # fmt: skip


def _conditions(facts: Facts, source: str, fact: Fact | None) -> tuple[str, ...]:
    said = list(fact.conditions) if fact else []
    said += [c for g in facts.together if _is_asked(g) for c in _of(g.condition, source)]
    return tuple(dict.fromkeys(said))


def _is_asked(guard: Guard) -> bool:
    """Not how a tensor's own strides follow from its sizes: the row of its strides tells that."""
    return guard.kind == "symbolic" and ".stride()[" not in guard.condition.partition(" == ")[0]


def _of(condition: str, source: str) -> Iterator[str]:
    """A condition on several sources as it is said of one: `== y.shape[0]`, or in full."""
    name = bare(source)
    left, equal, right = condition.partition(" == ")
    if equal and " == " not in right:
        if left == name and not mentions(right, name):
            yield f"== {right}"
            return
        if right == name and not mentions(left, name):
            yield f"== {left}"
            return
    if mentions(condition, name):
        yield condition


def mentions(condition: str, name: str) -> bool:
    if name not in condition:
        return False
    return re.search(rf"(?<![\w.\]]){re.escape(name)}(?![\w\[.])", condition) is not None


def value(facts: Facts, source: str) -> Alternative:
    """Of a value, an object, a tensor as such."""
    fact, here = facts.known.get(source), facts.compile_id
    if fact is None:
        return unguarded(facts, source)
    if fact.there is False:
        return Alternative(here, (MISSING,))
    if fact.tensor is not None:
        rank = len(fact.tensor.sizes or ())
        said = f"a tensor of {rank} dimension{'' if rank == 1 else 's'}"
        return Alternative(here, (said,), noun="tensor")
    if fact.value is not None:
        return Alternative(here, (fact.value,))
    if fact.identity is not None:
        return Alternative(here, objects=(fact.identity,))
    if fact.type in _NUMBERS or (fact.type is None and _is_number(fact)):
        return _number(facts, source, fact.type or "number")
    if fact.type is not None:
        return Alternative(here, (_an(fact.type),), (), False, tuple(fact.conditions), "type")
    if fact.there:
        return Alternative(here, (THERE,))
    return Alternative(here, any_value=not fact.other, conditions=tuple(fact.conditions))


def _is_number(fact: Fact) -> bool:
    return fact.interval != (None, None) or bool(fact.outside)


def _an(name: str) -> str:
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def unguarded(facts: Facts, source: str) -> Alternative:
    """Of a source that the entry does not guard: any, unless what it is read from cannot have
    it."""
    inside = source.removeprefix("len(").removesuffix(")") if source.startswith("len(") else None
    steps = [(inside, None)] if inside else []
    for parent, key in [*steps, *ancestors(inside or source)]:
        for name in (parent, f"global {parent}", f"closure {parent}"):
            fact = facts.known.get(name)
            if fact and (fact.value is not None or fact.there is False):
                return Alternative(facts.compile_id)
        length = facts.known.get(f"len({bare(parent)})")
        if length and _is_beyond(key, length.value):
            return Alternative(facts.compile_id)
    return Alternative(facts.compile_id, any_value=True)


def _is_beyond(index: str | None, length: str | None) -> bool:
    known = index is not None and length is not None and index.isdigit() and length.isdigit()
    return known and int(index or 0) >= int(length or 0)
