"""Why frames recompiled: the guards that failed against the nearest entry, one cause a source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from dynprobe.report import Entry, FailedGuard, GuardKind, Recompile, Report, Specialised

from .forms import Form, form_of

# What follows from what leads, of one source: a tensor's strides, and guards on its sizes together,
# from its sizes; a Parameter's requires_grad from its class; that it is no other argument, where it
# is no tensor any more.
_FOLLOWS: dict[GuardKind, tuple[GuardKind, ...]] = {
    "stride": ("size", "rank", "type"),
    "symbolic": ("size", "rank", "type"),
    "requires_grad": ("type",),
    "aliasing": ("type", "value"),
}
_REPLACED: tuple[GuardKind, ...] = ("type", "identity", "lifetime")  # an object by another
_BASE = "._base"  # a view is guarded with the tensor it views


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One source in one frame, changed in one way. `rows` has the failed guard of each of `calls`,
    in order; `fallbacks` are those of the calls that the recompile limit made run eagerly.

    `symbolic` tells whether it became a symbol in an entry that it made (None: it made none), and
    `specialised` where code made a constant of it there. `resumed`: the frame goes on after a
    break. `dynamic` is the setting of that name."""

    function: str
    file: str
    line: int
    rows: tuple[FailedGuard, ...]
    calls: tuple[int, ...]
    fallbacks: tuple[int, ...]
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
            key = (recompile.file, recompile.line, recompile.frame, row.source, *_way(row))
            found.setdefault(key, []).append((recompile, row))
    entries = {entry.compile_id: entry for frame in report.frames for entry in frame.entries}
    resumed = {(f.file, f.line, f.function) for f in report.frames if f.is_resume}
    return tuple(_cause(same, entries, resumed, report) for same in found.values())


def _way(row: FailedGuard) -> tuple[str, str]:
    """A number is guarded as a value first, and as a symbol once it changed: it is one cause."""
    form = form_of(row)
    return ("value" if row.kind == "symbolic" and form == "exact" else row.kind, form)


def _cause(
    same: list[tuple[Recompile, FailedGuard]],
    entries: Mapping[str, Entry],
    resumed: set[tuple[str, int, str]],
    report: Report,
) -> Cause:
    first, row = same[0]
    made = [entries[m.compile_id] for m, _ in same if m.compile_id and m.compile_id in entries]
    symbols = {_said(dim.source, dim.dim) for entry in made for dim in entry.dynamic_dims}
    source = row.source.removeprefix("global ").removeprefix("closure ")
    constants = [c for e in made for c in e.specialised if _said(c.source, c.dim) == source]
    return Cause(
        function=first.frame,
        file=first.file,
        line=first.line,
        rows=tuple(row for _, row in same),
        calls=tuple(dict.fromkeys(missed.call for missed, _ in same)),
        fallbacks=tuple(dict.fromkeys(m.call for m, _ in same if m.fallback)),
        symbolic=source in symbols if made else None,
        specialised=constants[0] if constants else None,
        resumed=(first.file, first.line, first.frame) in resumed,
        dynamic=report.settings.dynamic,
    )


def _said(source: str, dim: int | None) -> str:
    return source if dim is None else f"{source}.shape[{dim}]"


def _nearest(recompile: Recompile) -> Iterator[FailedGuard]:
    """The failed guards of the entry that came nearest, without those that only follow from
    another of them."""
    against = next((a for a in recompile.against if a.failed), None)
    failed = against.failed if against else ()
    kinds: dict[str, set[GuardKind]] = {}
    for row in failed:
        kinds.setdefault(tensor_name(row.source), set()).add(row.kind)
    others = [row.source for row in failed if row.kind in _REPLACED]
    for row in failed:
        if not _follows(row, kinds) and not any(_hangs(row.source, other) for other in others):
            yield row


def _hangs(source: str, other: str) -> bool:
    """Whether `source` is read off `other`, or off its class."""
    return bool(re.search(rf"(?:^|\(){re.escape(other)}[.\[)]", source)) and source != other


def _follows(row: FailedGuard, kinds: Mapping[str, set[GuardKind]]) -> bool:
    name = tensor_name(row.source)
    if name.endswith(_BASE):
        return name.removesuffix(_BASE) in kinds
    return bool(kinds[name].intersection(_FOLLOWS.get(row.kind, ())))


def tensor_name(source: str) -> str:
    """`x` of `x.shape[0]`, `x.stride()[1]`, `x.dtype`."""
    for part in (".shape[", ".stride()[", ".dtype", ".device", ".requires_grad"):
        head, found, _ = source.rpartition(part)
        if found:
            return head
    return source
