"""Counts in words."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 call`, `1,000 calls`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def in_words(numbers: Sequence[int], noun: str, most: int = 8) -> str:
    """`call 3`, `calls 0, 3, 5`, `calls 0, 1, 2 and 5 more`."""
    more = f" and {len(numbers) - most:,} more" if len(numbers) > most else ""
    said = ", ".join(map(str, numbers[:most]))
    return f"{noun if len(numbers) == 1 else noun + 's'} {said}{more}"


def and_more(said: Sequence[str], total: int, noun: str) -> str:
    """`a, b and c`; `a, b and 3 others` where `total` is more than what is said."""
    left = total - len(said)
    if left > 0:
        return f"{', '.join(said)} and {count(left, noun)}"
    head, last = said[:-1], said[-1]
    return f"{', '.join(head)} and {last}" if head else last
