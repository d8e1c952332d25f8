"""Recompiles: for each, against each entry that existed, every guard that failed."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from dynprobe.diagnose.words import count
from dynprobe.render.base import View
from dynprobe.report import Against, FailedGuard, Recompile, Report

from .dims import dynamic
from .grid import column_starts, flow
from .places import at, with_code
from .reasons import change, was_now
from .style import DIM, NAME, OUTCOME, join, line, prose
from .wrap import fold

_FULL = 12  # entries told in full; beyond, only each recompile's nearest one is
_GUARDS = 8  # failing guards told of one entry


def recompiles(report: Report, view: View) -> list[Text]:
    every = [a for missed in report.recompiles for a in missed.against]
    brief = not view.verbose and len(every) > _FULL
    rows = [_cells(guard, report) for a in every for guard in _told(a, view)]
    starts = column_starts(rows, 6, (min(view.width // 3, 40), 13, view.width // 3))
    lines: list[Text] = []
    for missed in report.recompiles:
        lines += fold(_head(missed, report), view.width, indent=2, hang=4)
        for number, against in enumerate(missed.against):
            if number and brief:
                lines += _in_brief(against, view)
            else:
                lines += _in_full(against, starts, report, view)
        lines += _dynamic(missed, report, view)
    return lines


def _head(missed: Recompile, report: Report) -> Text:
    became = (
        line(("no entry: the recompile limit forbids another", OUTCOME["fallback"]))
        if missed.fallback
        else line("new entry ", (missed.compile_id or "?", NAME))
    )
    frame = line((missed.frame, NAME), " ", at(missed.file, missed.line, report.cwd))
    return join([line(f"call {missed.call}"), frame, became])


def _in_full(against: Against, starts: list[int], report: Report, view: View) -> Iterator[Text]:
    head = line(f"against {against.compile_id}  ", (prose(against.torch_says), DIM))
    yield from fold(head, view.width, indent=4, hang=4)
    if against.note:
        yield from fold(line(prose(against.note)), view.width, indent=6)
    failed = _told(against, view)
    for guard in failed:
        yield from flow(_cells(guard, report), starts, view.width)
        if guard.near:
            code = with_code(at(guard.near.file, guard.near.line, report.cwd), guard.near.text)
            yield from fold(line(("reached from ", DIM), code), view.width, indent=8)
    if len(failed) < len(against.failed):
        left = count(len(against.failed) - len(failed), "more guard")
        yield line("      ", (f"and {left} (-v shows all)", DIM))


def _told(against: Against, view: View) -> tuple[FailedGuard, ...]:
    return against.failed if view.verbose else against.failed[:_GUARDS]


def _cells(guard: FailedGuard, report: Report) -> list[Text]:
    where = Text()
    if guard.file:
        where = with_code(at(guard.file, guard.line, report.cwd), guard.code)
    elif guard.code:
        where = line(guard.code)
    return [line((guard.source, NAME)), line((_kind(guard), DIM)), was_now(guard), where]


def _kind(guard: FailedGuard) -> str:
    return guard.kind.replace("_", " ")


def _in_brief(against: Against, view: View) -> list[Text]:
    shown = [change(guard) for guard in against.failed[:_GUARDS]]
    if len(shown) < len(against.failed):
        shown.append(line(f"{count(len(against.failed) - len(shown), 'more guard')}"))
    said = join(shown, ", ") if shown else line((prose(against.torch_says), DIM))
    return fold(line(f"against {against.compile_id}  ", said), view.width, indent=4, hang=4)


def _dynamic(missed: Recompile, report: Report, view: View) -> list[Text]:
    """Why a later call with yet another size hits."""
    if not missed.dynamic_dims or missed.compile_id is None:
        return []
    entries = [entry for frame in report.frames for entry in frame.entries]
    entry = next((e for e in entries if e.compile_id == missed.compile_id), None)
    dims = [dynamic(dim) for dim in entry.dynamic_dims] if entry else []
    dims = dims or [line((dim, NAME)) for dim in missed.dynamic_dims]
    head = line("graph ", (missed.compile_id, NAME), " is dynamic in ", join(dims, ", "))
    what = "sizes" if entry and all(d.dim is not None for d in entry.dynamic_dims) else "values"
    return fold(line(head, f": other {what} in that range hit"), view.width, indent=4)
