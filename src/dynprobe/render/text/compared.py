"""Each call beside a plain eager run: what it gave and changed otherwise, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from dynprobe.diagnose.words import count, in_words
from dynprobe.render.base import View
from dynprobe.report import Call, Change, Difference, EagerRun, Report, Unguarded

from .places import at
from .style import DIM, NAME, NEW, WRONG, line
from .wrap import fold

_CALLS = 4  # told in full
_CHANGES = 4  # of one call


def compared(report: Report, view: View) -> list[Text]:
    asked = [(call, call.eager) for call in report.calls if call.eager is not None]
    if not asked:
        return []
    lines: list[Text] = []
    differ = list(_alike([(call, run) for call, run in asked if run.same is False]))
    shown = differ if view.verbose else differ[:_CALLS]
    for calls, run in shown:
        for text, indent in _calls(calls, run, report, view):
            lines += fold(text, view.width, indent=indent, hang=2)
    if left := sum(len(calls) for calls, _ in differ[len(shown) :]):
        lines.append(
            line("  ", (f"and {count(left, 'more call')} that differ (-v shows all)", DIM))
        )
    for text in _others(asked):
        lines += fold(text, view.width, indent=2, hang=4)
    return lines


def _alike(differ: Sequence[tuple[Call, EagerRun]]) -> Iterator[tuple[list[int], EagerRun]]:
    """Neighbours that differ in the same way, with their calls."""
    for run, same in groupby(differ, key=lambda told: told[1]):
        yield [call.index for call, _ in same], run


def _calls(
    calls: Sequence[int], run: EagerRun, report: Report, view: View
) -> Iterator[tuple[Text, int]]:
    told = _difference(run.difference) if run.difference else line(("changes differ", WRONG))
    drew = (" · draws random numbers", DIM) if run.random else ""
    yield line((in_words(calls, "call"), NAME), "  ", told, drew), 2
    changes = run.changes if view.verbose else run.changes[:_CHANGES]
    for change in changes:
        yield _change(change), 6
    if left := len(run.changes) - len(changes):
        yield line((f"and {count(left, 'more change')} that differ (-v shows all)", DIM)), 6
    for row in run.unguarded:
        yield _unguarded(row, report), 6
    if run.note:
        yield line((run.note, DIM)), 6


def _difference(parted: Difference) -> Text:
    where = f"result{parted.path} " if parted.path else "result "
    if not parted.path and any(s.startswith("raised ") for s in (parted.compiled, parted.eager)):
        where = ""  # one of them has no result
    told = line(where, (parted.compiled, NEW), ", in eager ", parted.eager)
    if parted.largest is None or parted.of is None:
        return told
    some = f"{parted.differ:,} of {parted.of:,} elements, " if parted.of > 1 else ""
    gap = f"{some}by up to {parted.largest:.3g} ({parted.relative:.3g} relative)"
    return line(told, ("  ", DIM), (gap, DIM))


def _change(change: Change) -> Text:
    was = line((f" (before: {change.before})", DIM)) if change.before is not None else ""
    verb = "printed" if change.kind == "printed" else f"{change.what} is left as"
    return line(f"{verb} ", (change.compiled or "", NEW), f", in eager {change.eager}", was)


def _unguarded(row: Unguarded, report: Report) -> Text:
    where = line("  ", at(row.where.file, row.where.line, report.cwd)) if row.where else ""
    match row.kind:
        case "clock":
            return line("reads the clock: ", (row.what, NAME), where)
        case "lru_cache":
            return line((row.what, NAME), f" is memoised: {row.now}", where)
    what = f"environment {row.what}" if row.kind == "environment" else row.what
    since = f"call {row.captured_in} captured with" if row.captured_in is not None else "was"
    return line(
        "not guarded: ",
        (what, NAME),
        f"  {since} {row.captured}, now ",
        (row.now or "", NEW),
        where,
    )


def _others(asked: list[tuple[Call, EagerRun]]) -> Iterator[Text]:
    """Calls that are the same, and those that cannot be told, by reason."""
    same = [(call.index, run) for call, run in asked if run.same]
    if same:
        calls = (
            "all calls" if len(same) == len(asked) > 1 else in_words([i for i, _ in same], "call")
        )
        yield line((f"{calls}: the same result and the same changes as eager", DIM))
    for note in dict.fromkeys(run.note for _, run in same if run.note):
        yield line((note, DIM))
    unsure: dict[str, list[int]] = {}
    for call, run in asked:
        if run.same is None:
            unsure.setdefault(run.note or "not known", []).append(call.index)
    for note, calls_of in unsure.items():
        yield line(f"{in_words(calls_of, 'call')}: not compared, {note}")
