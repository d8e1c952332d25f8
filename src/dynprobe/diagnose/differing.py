"""Calls that are not what they are in eager, and what is known of why."""

from __future__ import annotations

from collections.abc import Iterator

from dynprobe.report import Change, EagerRun, Report, Unguarded

_Told = tuple[int, EagerRun]


def said(run: EagerRun) -> str:
    """How a call differs, in a few words."""
    if (parted := run.difference) is None:
        change = run.changes[0]
        return f"{change.what} is left as {change.compiled}, in eager as {change.eager}"
    at = f"result{parted.path} is " if parted.path else ""
    told = f"{at}{parted.compiled}, in eager {parted.eager}"
    if parted.largest is not None and parted.of is not None and parted.of > 1:
        told += f" ({parted.differ:,} of {parted.of:,} elements, by up to {parted.largest:.3g})"
    return told


def differing(report: Report) -> list[_Told]:
    """Their indices and runs."""
    return [(c.index, c.eager) for c in report.calls if c.eager and c.eager.same is False]


def rows(report: Report, *kinds: str) -> Iterator[tuple[Unguarded, list[int]]]:
    """Unguarded reads of these kinds, each with the calls that it made differ."""
    found: dict[tuple[str, str], tuple[Unguarded, list[int]]] = {}
    for index, run in differing(report):
        for row in run.unguarded:
            if row.kind in kinds:
                found.setdefault((row.kind, row.what), (row, []))[1].append(index)
    yield from found.values()


def lost(report: Report) -> dict[str, list[tuple[int, Change]]]:
    """What eager changed and the compiled call left as it was, by what it is: as it was before the
    call in eager, or as the compiled call before left it."""
    found: dict[str, list[tuple[int, Change]]] = {}
    left: dict[str, str | None] = {}
    for index, run in differing(report):
        for change in run.changes:
            was = "nothing" if change.kind == "printed" else change.before
            if change.compiled in (was, left.get(change.what, was)) and change.eager != was:
                found.setdefault(change.what, []).append((index, change))
            left[change.what] = change.compiled
    return found


def unexplained(report: Report) -> list[_Told]:
    """Calls that differ for no reason that is found: none of their own, and nothing that this or
    an earlier call failed to change."""
    first = min((told[0][0] for told in lost(report).values()), default=None)
    return [
        (index, run)
        for index, run in differing(report)
        if (first is None or index < first) and all(row.kind == "clock" for row in run.unguarded)
    ]
