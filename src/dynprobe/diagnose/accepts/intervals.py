"""Sets of numbers as intervals, both ends inclusive; None is no end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, nextafter

Number = int | float
Interval = tuple[Number | None, Number | None]


def union(parts: Iterable[Interval]) -> tuple[Interval, ...]:
    """The same numbers as intervals that neither meet nor touch, in order. Whole numbers touch
    where one follows on the other."""
    ordered = sorted(parts, key=_low)
    found: list[Interval] = []
    for low, high in ordered:
        if found and _meets(found[-1], low):
            found[-1] = (found[-1][0], _higher(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def without(interval: Interval, points: Iterable[Number]) -> tuple[Interval, ...]:
    """An interval of whole numbers less single points."""
    left = [interval]
    for point in points:
        left = [piece for part in left for piece in _cut(part, point)]
    return tuple(left)


def common(a: Interval, b: Interval) -> Interval | None:
    """The numbers in both; None where there are none."""
    lows = [end for end in (a[0], b[0]) if end is not None]
    highs = [end for end in (a[1], b[1]) if end is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    return None if low is not None and high is not None and low > high else (low, high)


def covers(parts: Sequence[Interval], number: Number) -> bool:
    return any(_low((low, high)) <= number <= _high((low, high)) for low, high in parts)


def strict_low(low: Number) -> Number | None:
    """The number that a float's low end lies just above (0.5 for the first float after it), or
    None: `> 0.5` reads better than sixteen digits."""
    below = nextafter(low, -inf)
    return below if isinstance(low, float) and len(repr(below)) + 6 < len(repr(low)) else None


def strict_high(high: Number) -> Number | None:
    """As `strict_low`, of a high end."""
    above = nextafter(high, inf)
    return above if isinstance(high, float) and len(repr(above)) + 6 < len(repr(high)) else None


def _low(part: Interval) -> Number:
    return -inf if part[0] is None else part[0]


def _high(part: Interval) -> Number:
    return inf if part[1] is None else part[1]


def _meets(before: Interval, low: Number | None) -> bool:
    if before[1] is None or low is None:
        return True
    step = 1 if isinstance(before[1], int) and isinstance(low, int) else 0
    return low <= before[1] + step


def _higher(a: Number | None, b: Number | None) -> Number | None:
    return None if a is None or b is None else max(a, b)


def _cut(part: Interval, point: Number) -> Iterable[Interval]:
    if not covers([part], point):
        return [part]
    below, above = (part[0], point - 1), (point + 1, part[1])
    return [piece for piece in (below, above) if _low(piece) <= _high(piece)]
