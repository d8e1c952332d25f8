"""What each call gives and changes, beside a plain eager run in a process of its own.

In each of the two workers `record` writes a file a call, of plain data (`nodes`, made by `walk` of
all that `state` and `reach` find); in their parent `judge` compares the two. Only what runs in a
worker imports torch."""

from __future__ import annotations

from .judge import compared

__all__ = ["compared"]
