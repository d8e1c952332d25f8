"""From the runs of frames to the outcome of a call."""

from __future__ import annotations

from collections.abc import Iterable

from ...report import FrameRun, Outcome

ORDER: tuple[Outcome, ...] = ("error", "fallback", "skip", "recompile", "capture", "hit")
"""Worst first."""


def worst(rows: Iterable[FrameRun], target: tuple[str | None, int | None]) -> FrameRun | None:
    """The frame that decides the call's outcome; of several alike the target's own (its file and
    first line), else the first. A frame that had nothing to capture decides only where no other
    frame ran."""
    rows = list(rows)
    ranked = [row for row in rows if not row.benign] or rows
    return min(
        ranked,
        key=lambda row: (ORDER.index(row.outcome), (row.file, row.line) != target),
        default=None,
    )
