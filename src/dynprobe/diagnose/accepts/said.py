"""What entries accept of one source, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from .alternatives import THERE, Alternative
from .intervals import Interval, Number, common, covers, strict_high, strict_low, union

_WIDE = ("type", "relation")  # nouns of which "only" says nothing
_TOLD = 8  # values; more are counted
_CONDITIONS = 2
_HOLES = 4  # single numbers that a range leaves out, told as such
_LONGEST = 60  # characters of one value
_INT = re.compile(r"-?\d+")
_FLOAT = re.compile(r"-?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)")


def said(found: Sequence[Alternative], miss: str) -> str:
    """`any size ≥ 2; 0 and 1 recompile`. `miss` is what happens otherwise, as of one value:
    "recompiles", "runs eagerly", "raises"."""
    free = [a for a in found if not a.conditions]
    parts = _parts(free)
    bound = [_conditional(a) for a in found if a.conditions and not _is_in(a, free)]
    bound = list(dict.fromkeys(bound))
    if not parts and not bound:
        return "anything"
    text = "; or ".join([*([_either(parts)] if parts else []), *bound])
    if found[0].noun == "rank":
        text += " dimension" if text == "1" else " dimensions"
    return text + _end(found, text, is_one=len(parts) == 1 and not bound, miss=miss)


def _end(found: Sequence[Alternative], text: str, *, is_one: bool, miss: str) -> str:
    """What becomes of all other values."""
    anything = [a.compile_id for a in found if a.any_value and not a.conditions]
    if anything:
        return f"; {_either(anything, 'and')} {'do' if anything[1:] else 'does'} not look at it"
    special = _zero_one(found)
    if special:
        return f"; {_either(special, 'and')} {_plural(miss) if special[1:] else miss}"
    wide = any(a.ranges or a.objects or a.conditions or a.noun in _WIDE for a in found)
    only = "" if wide or not is_one or text == THERE else " only"
    return only if miss == "recompiles" or text == THERE else f"{only}; any other {miss}"


def _is_in(one: Alternative, free: Sequence[Alternative]) -> bool:
    """Whether other entries take all that this one takes, and without its conditions."""
    values = {v for a in free for v in a.values}
    ranges = union(r for a in free if a.noun == one.noun for r in a.ranges)
    return (
        bool(one.ranges or one.values)
        and all(any(common(r, f) == r for f in ranges) for r in one.ranges)
        and set(one.values) <= values
    )


def _plural(miss: str) -> str:
    return {"recompiles": "recompile", "runs eagerly": "run eagerly"}.get(miss, "raise")


def _parts(simple: Sequence[Alternative]) -> list[str]:
    """Of alternatives without conditions: values, then what is left of ranges."""
    said_values: list[str] = []
    ranges: dict[str, list[Interval]] = {}
    for one in simple:
        if one.ranges:
            ranges.setdefault(one.noun, []).extend(one.ranges)
    values = list(dict.fromkeys(v for one in simple for v in one.values))
    for value in values:
        noun = next((n for n in ranges if _fits(value, n)), None)
        if noun:
            ranges[noun].append((_number(value), _number(value)))
        else:
            said_values.append(clipped(value))
    left = len(said_values) - _TOLD
    if all(_INT.fullmatch(v) for v in said_values):
        said_values.sort(key=int)
    shown = said_values[:_TOLD] + ([f"{left} more"] if left > 0 else [])
    said_ranges = [part for noun, parts in ranges.items() for part in _ranges(union(parts), noun)]
    return shown + objects(simple) + said_ranges


def _fits(value: str, noun: str) -> bool:
    """Whether a value is one that a range of `noun` holds: 3 is no float, True no int."""
    return bool((_FLOAT if noun == "float" else _INT).fullmatch(value))


def _number(value: str) -> Number:
    return int(value) if _INT.fullmatch(value) else float(value)


def objects(found: Sequence[Alternative]) -> list[str]:
    """`the same C`, or where entries hold different objects, each by its entry."""
    first: dict[str, str] = {}
    for one in found:
        for name in one.objects:
            first.setdefault(name, one.compile_id)
    names = [name.rpartition(" ")[0] or "object" for name in first]
    if len(names) == 1:
        return [f"the same {names[0]}"]
    return [f"the {name} of {entry}" for name, entry in zip(names, first.values(), strict=True)]


def _ranges(parts: Sequence[Interval], noun: str) -> Iterator[str]:
    """Intervals in words; one without an upper end that leaves out a few numbers says which."""
    holes = [_hole(a, b) for a, b in pairwise(parts)]
    whole = parts[-1][1] is None and len(holes) <= _HOLES
    if holes and whole and None not in holes:
        yield f"{_range((parts[0][0], None), noun)} but {_either([str(h) for h in holes], 'and')}"
        return
    for part in parts:
        yield _range(part, noun)


def _hole(a: Interval, b: Interval) -> int | None:
    if isinstance(a[1], int) and isinstance(b[0], int) and b[0] - a[1] == 2:
        return a[1] + 1
    return None


def _range(part: Interval, noun: str) -> str:
    low, high = part
    if noun == "size" and low == 0:
        low = None
    if low is not None and low == high:
        return str(low)
    if low is not None and high is not None:
        if noun in ("size", "int") and high - low == 1:
            return f"{low} or {high}"
        return f"{low} to {high}" if noun == "size" else f"any {noun} from {low} to {high}"
    return f"any {noun}{_ends(low, high)}"


def _ends(low: Number | None, high: Number | None) -> str:
    if low is not None:
        strict = strict_low(low)
        return f" ≥ {low}" if strict is None else f" > {strict}"
    if high is not None:
        strict = strict_high(high)
        return f" ≤ {high}" if strict is None else f" < {strict}"
    return ""


def _conditional(one: Alternative) -> str:
    base = _either(_parts([one])) or ("any" if one.any_value else "")
    equal = [c.removeprefix("== ") for c in one.conditions if c.startswith("== ")]
    plain = [c for c in one.conditions if not c.startswith("== ") and c != "not NaN"]
    if "not NaN" in one.conditions:
        base += " but NaN"
    if equal:
        base += f" that equals {_either(equal, 'and')}"
    if plain:
        more = len(plain) - _CONDITIONS
        tail = f" and {more} more conditions" if more > 1 else " and 1 more condition" * (more == 1)
        base += (" where " if base else "") + " and ".join(plain[:_CONDITIONS]) + tail
    return base.strip()


def _zero_one(found: Sequence[Alternative]) -> list[str]:
    """The sizes 0 and 1 where only they are left out of `any size ≥ 2`."""
    ranges = [r for a in found if a.noun == "size" for r in a.ranges]
    if not ranges or min(-1 if low is None else low for low, _ in ranges) != 2:
        return []
    if not any(high is None for _, high in ranges):
        return []
    taken = {v for a in found for v in a.values}
    return [n for n in ("0", "1") if n not in taken and not covers(ranges, int(n))]


def clipped(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"


def _either(parts: Iterable[str], last: str = "or") -> str:
    """`a`, `a or b`, `a, b or c`."""
    *head, tail = list(parts) or [""]
    return f"{', '.join(head)} {last} {tail}" if head else tail
