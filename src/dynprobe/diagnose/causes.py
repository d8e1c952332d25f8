"""Why frames recompiled: the guards that failed against the nearest entry, one cause a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from dynprobe.report import Entry, FailedGuard, Recompile, Report, Specialised
from dynprobe.report.leading import leading

from .forms import Form, form_of


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One source in one frame, changed in one way. `rows` has the guard that failed at each miss,
    in order, and `calls` the calls they were in. `fallbacks` are those of the calls that the
    recompile limit made run eagerly, and `eagerly` is how many of the rows tell of that.

    `tied` are the sizes that it must equal in an entry that it made. `symbolic` tells whether it
    became a symbol there (None: it made none), and `specialised` where code made a constant of it
    there. `resumed`: the frame goes on after a break. `dynamic` is the setting of that name."""

    function: str
    file: str
    line: int
    rows: tuple[FailedGuard, ...]
    calls: tuple[int, ...]
    fallbacks: tuple[int, ...]
    eagerly: int = 0
    tied: tuple[str, ...] = ()
    symbolic: bool | None = None
    specialised: Specialised | None = None
    resumed: bool = False
    dynamic: Literal["auto", "true", "false"] = "auto"

    @property
    def row(self) -> FailedGuard:
        return self.rows[0]

    @property
    def form(self) -> Form:
        return form_of(self.row)

    @property
    def values(self) -> tuple[str, ...]:
        """What came, in order, neighbours that are equal once; before it what was expected, where
        that did not come before."""
        said: list[str] = []
        for row in self.rows:
            if row.expected not in said:
                said.append(row.expected)
            if said[-1] != row.actual:
                said.append(row.actual)
        return tuple(said)

    @property
    def recompiled(self) -> int:
        """How many entries it made. One call may make several."""
        return len(self.rows) - self.eagerly

    @property
    def distinct(self) -> frozenset[str]:
        return frozenset(self.values)


def causes(report: Report) -> tuple[Cause, ...]:
    """In the order in which they were first met."""
    found: dict[object, list[tuple[Recompile, FailedGuard]]] = {}
    for recompile in report.recompiles:
        for row in _nearest(recompile):
            key = (recompile.file, recompile.line, recompile.frame, row.source, *_way(row))
            found.setdefault(key, []).append((recompile, row))
    entries = {entry.compile_id: entry for frame in report.frames for entry in frame.entries}
    resumed = {e.compile_id for f in report.frames if f.is_resume for e in f.entries}
    return tuple(_cause(same, entries, resumed, report) for same in found.values())


def _way(row: FailedGuard) -> tuple[str, str]:
    """A number is guarded as a value first, and as a symbol once it changed: it is one cause."""
    form = form_of(row)
    return ("value" if row.kind == "symbolic" and form == "exact" else row.kind, form)


def _cause(
    same: list[tuple[Recompile, FailedGuard]],
    entries: Mapping[str, Entry],
    resumed: set[str],
    report: Report,
) -> Cause:
    first, row = same[0]
    made = [entries[m.compile_id] for m, _ in same if m.compile_id and m.compile_id in entries]
    symbols = {_said(d.source, d.dim): d.tied for entry in made for d in entry.dynamic_dims}
    source = row.source.removeprefix("global ").removeprefix("closure ")
    constants = [c for e in made for c in e.specialised if _said(c.source, c.dim) == source]
    return Cause(
        function=first.frame,
        file=first.file,
        line=first.line,
        rows=tuple(row for _, row in same),
        calls=tuple(dict.fromkeys(missed.call for missed, _ in same)),
        fallbacks=tuple(dict.fromkeys(m.call for m, _ in same if m.fallback)),
        eagerly=sum(missed.fallback for missed, _ in same),
        tied=symbols.get(source, ()),
        symbolic=source in symbols if made else None,
        specialised=constants[0] if constants else None,
        resumed=any(against.compile_id in resumed for against in first.against),
        dynamic=report.settings.dynamic,
    )


def _said(source: str, dim: int | None) -> str:
    return source if dim is None else f"{source}.shape[{dim}]"


def _nearest(recompile: Recompile) -> Iterator[FailedGuard]:
    """The failed guards of the entry that came nearest, without those that only follow from
    another of them."""
    against = next((a for a in recompile.against if a.failed), None)
    yield from leading(against.failed if against else ())
