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
