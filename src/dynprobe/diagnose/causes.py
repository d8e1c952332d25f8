"""Why frames recompiled: the guards that failed against the nearest entry, one cause a source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynprobe.report import FailedGuard, GuardKind, Recompile, Report

# A tensor's strides, and guards on its sizes together, follow from what changed of it.
_FOLLOWS: tuple[GuardKind, ...] = ("stride", "symbolic")
_LEADS: tuple[GuardKind, ...] = ("size", "rank", "type")


@dataclass(frozen=True)
class Cause:
    """One source in one frame. `rows` has the failed guard of each of `calls`, in order;
    `fallbacks` are those of the calls that the recompile limit made run eagerly."""

    function: str
    file: str
    line: int
    rows: tuple[FailedGuard, ...]
    calls: tuple[int, ...]
    fallbacks: tuple[int, ...]

    @property
    def row(self) -> FailedGuard:
        return self.rows[0]

    @property
    def values(self) -> tuple[str, ...]:
        """What was expected and what came, in order, neighbours that are equal once."""
        said: list[str] = []
        for row in self.rows:
            for value in (row.expected, row.actual):
                if not said or said[-1] != value:
                    said.append(value)
        return tuple(said)

    @property
    def distinct(self) -> frozenset[str]:
        return frozenset(self.values)


def causes(report: Report) -> tuple[Cause, ...]:
    """In the order in which they were first met."""
    found: dict[object, list[tuple[Recompile, FailedGuard]]] = {}
    for recompile in report.recompiles:
        for row in _nearest(recompile):
            key = (recompile.file, recompile.line, recompile.frame, row.source, row.kind)
            found.setdefault(key, []).append((recompile, row))
    return tuple(_cause(same) for same in found.values())


def _cause(same: list[tuple[Recompile, FailedGuard]]) -> Cause:
    first = same[0][0]
    return Cause(
        function=first.frame,
        file=first.file,
        line=first.line,
        rows=tuple(row for _, row in same),
        calls=tuple(dict.fromkeys(missed.call for missed, _ in same)),
        fallbacks=tuple(dict.fromkeys(m.call for m, _ in same if m.fallback)),
    )


def _nearest(recompile: Recompile) -> Iterator[FailedGuard]:
    """The failed guards of the entry that came nearest, without those that only follow from
    another of them."""
    against = next((a for a in recompile.against if a.failed), None)
    failed = against.failed if against else ()
    leading = {tensor_name(row.source) for row in failed if row.kind in _LEADS}
    for row in failed:
        if row.kind in _FOLLOWS and tensor_name(row.source) in leading:
            continue
        yield row


def tensor_name(source: str) -> str:
    """`x` of `x.shape[0]`, `x.stride()[1]`, `x.dtype`."""
    for part in (".shape[", ".stride()[", ".dtype", ".device", ".requires_grad"):
        head, found, _ = source.rpartition(part)
        if found:
            return head
    return source
