"""Why a compiled result is stale: what eager read, that is not as it was when the entry the call
hit was captured, and that no guard of the entry holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...report import Call, Entry, Line, Report, Unguarded
from .nodes import MISSING
from .same import Compared, Parting
from .store import EnvRead, Read, Record

MOST = 8  # told of one call
_CODE = "  # "  # after it stands the line of source, in a guard's text
_HOOKS = re.compile(r"^(?P<module>.*)\._(?P<table>\w*hooks)$")
_LAST = re.compile(r"(\w+)(?:\[[^\]]*\])*$")


def unguarded(
    report: Report,
    call: Call,
    mine: Record,
    plain: Record,
    compiled: Mapping[int, Record],
    eager: Mapping[int, Record],
) -> Iterator[Unguarded]:
    """Likely reasons, the surest first."""
    entries = _entries(report, call)
    found: list[Unguarded] = []
    for entry in entries:
        then, read = compiled.get(entry.call), eager.get(entry.call)
        if then is not None and read is not None and entry.call != call.index:
            found += _environment(plain, read, entry)
            found += _state(then, mine, entry, {*_moved(mine), *_moved(plain)})
    found += _caches(plain, mine)
    found += _clocks(plain)
    unique = {(row.kind, row.what): row for row in reversed(found)}
    yield from list(reversed(unique.values()))[:MOST]


def _entries(report: Report, call: Call) -> list[Entry]:
    hit = {run.compile_id for run in call.frames if run.compile_id is not None}
    return [e for frame in report.frames for e in frame.entries if e.compile_id in hit]


def _environment(now: Record, then: Record, entry: Entry) -> Iterator[Unguarded]:
    before: dict[str, EnvRead] = {read.name: read for read in then.environment}
    for read in now.environment:
        was = before.get(read.name)
        if was is not None and was.value != read.value and not _held(entry, f"'{read.name}'"):
            where = None
            if read.file is not None and read.line is not None:
                where = Line(file=read.file, line=read.line, function=read.function)
            yield Unguarded(
                kind="environment",
                what=read.name,
                captured="not set" if was.value is None else repr(was.value),
                now="not set" if read.value is None else repr(read.value),
                captured_in=entry.call,
                where=where,
            )


def _moved(record: Record) -> Iterator[str]:
    """Places that the call itself changes: what became of them is told as a change."""
    yield from (root.what for root in record.after if root.kind in ("global", "closure"))


def _state(then: Record, now: Record, entry: Entry, moved: set[str]) -> Iterator[Unguarded]:
    """Places that the code reads by name, as they were before the two calls."""
    pair = Compared([r.node for r in then.before], [r.node for r in now.before])
    reads = {read.name: read for read in now.reads if read.kind == "name"}
    was = {root.what: root.node for root in then.before}
    for root in now.before:
        if root.kind == "environment" or root.what in moved:
            continue
        for part in pair.partings(was.get(root.what, MISSING), root.node):
            row = _reason(root.kind, root.what, part, reads, entry)
            if row is not None and not (root.kind == "argument" and row.kind != "hook"
                                        and not part.path):  # fmt: skip
                yield row


def _reason(
    kind: str, what: str, part: Parting, reads: Mapping[str, Read], entry: Entry
) -> Unguarded | None:
    path = f"{what}{part.path}"
    hook = _HOOKS.match(path)
    if hook:
        table = hook["table"].removesuffix("s").replace("_", " ")
        return _row("hook", f"{hook['module']}: {table}", part, entry, None)
    read = _read_of(path, reads)
    method = part.left.startswith("function ") and part.right.startswith("function ")
    if (read is None and not method) or _held(entry, path):
        return None
    told = kind if kind in ("global", "closure") else "attribute"
    return _row(told, path, part, entry, read)


def _row(kind: str, what: str, part: Parting, entry: Entry, read: Read | None) -> Unguarded:
    return Unguarded(
        kind=kind,
        what=what,
        captured=part.left,
        now=part.right,
        captured_in=entry.call,
        where=None if read is None else _line(read),
    )


def _read_of(path: str, reads: Mapping[str, Read]) -> Read | None:
    """The read of the last name in a path: `scale` in `self.cfg.scale`, `sizes` in `sizes[0]`."""
    last = _LAST.search(path)
    return reads.get(last[1]) if last else None


def _line(read: Read) -> Line:
    return Line(file=read.file, line=read.line, function=read.function)


def _held(entry: Entry, path: str) -> bool:
    """Whether a guard of the entry speaks of it, or of what is inside it."""
    spoken = re.compile(rf"(?<!\w){re.escape(path)}(?!\w)")
    texts = (f"{guard.source} {guard.text.partition(_CODE)[0]}" for guard in entry.guards)
    return any(spoken.search(text) for text in texts)


def _caches(plain: Record, mine: Record) -> Iterator[Unguarded]:
    """Memoised functions that eager asked, and the compiled call did not."""
    names = [read for read in plain.reads if read.kind in ("lru_cache", "name")]
    reads = {read.name: read for read in sorted(names, key=lambda read: read.kind, reverse=True)}
    for name, (hits, misses) in plain.caches.items():
        if (hits or misses) and not any(mine.caches.get(name, [0, 0])):
            read = reads.get(name.rpartition(".")[2])
            yield Unguarded(
                kind="lru_cache",
                what=name,
                captured=None,
                now=f"answered {hits:,} from its cache, {misses:,} anew; none when compiled",
                where=None if read is None else _line(read),
            )


def _clocks(plain: Record) -> Iterator[Unguarded]:
    for read in plain.reads:
        if read.kind == "clock":
            yield Unguarded(
                kind="clock", what=read.name, captured=None, now=None, where=_line(read)
            )
