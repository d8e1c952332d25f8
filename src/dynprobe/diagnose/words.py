"""Counts in words."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 call`, `1,000 calls`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
