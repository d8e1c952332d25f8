"""Recompiles: for each, against each entry that existed, every guard that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.text import Text

from dynprobe.diagnose.paths import short_path
from dynprobe.diagnose.words import and_more, count, entries_in_words, in_words
from dynprobe.render.base import View
from dynprobe.report import Against, Entry, FailedGuard, Line, Recompile, Report

from .dims import dynamic
from .findings import in_short
from .grid import column_starts, flow
from .places import at, through, with_code
from .reasons import was_now
from .style import DIM, NAME, NEW, OUTCOME, join, line, prose
from .wrap import fold

# torch: "guard # code # file:line in function (HINT: …)"; the rows have the place, -v the hint
_PLACE = re.compile(r" # (?:.+ # )?\S+:\d+ in \S+(?: \(.*\))?$")
_RANGE = re.compile(r"-?\d+ <= [^<=>]+ <= -?\d+$")  # of one size: told with the size
_MISSES = 6  # recompiles told one by one; of more, those of the same cause are counted
_ALIKE = 2  # told one by one even then
_CAUSES = 8  # of different causes told, where there are more than `_MISSES` recompiles
_AGAIN = 6  # lines for those that are counted
_VALUES = 4  # of one guard over several entries
_CONDITIONS = 3  # on dynamic sizes, told with the range
_GUARDS = 8  # failing guards told of one entry
_NOT_REACHED = 4  # sources named


class _Told(NamedTuple):
    """What need not be told again: findings by number, what to do, the ways to a guarded line,
    ranges of sizes."""

    findings: set[int]
    advice: set[str]
    ways: set[object]
    ranges: set[str]


def recompiles(report: Report, view: View) -> list[Text]:
    shown, alike = _shown(report.recompiles, view)
    every = [against for missed in shown for against in missed.against]
    rows = [_cells(guard, report) for against in every for guard in _told(against, view)]
    starts = column_starts(rows, 6, (min(view.width // 3, 40), 13, view.width // 3))
    lines: list[Text] = []
    told = _Told(set(), set(), set(), set())
    for calls, missed in _merged(shown):
        lines += fold(_head(calls, missed, report), view.width, indent=2, hang=4)
        full = missed.against if view.verbose else missed.against[:1]
        for against in full:
            lines += _in_full(against, starts, told, report, view)
        lines += _in_brief(missed.against[len(full) :], view)
        lines += _dynamic(missed, told, report, view)
        lines += _what_to_do(missed, told, report, view)
    return [*lines, *_again(alike, report, view)]


def _again(alike: Sequence[Sequence[Recompile]], report: Report, view: View) -> Iterator[Text]:
    """What is not told one by one: by frame and what failed."""
    for more in alike[:_AGAIN]:
        first = more[0]
        calls = in_words(sorted({missed.call for missed in more}), "call")
        frame = line((first.frame, NAME), " ", at(first.file, first.line, report.cwd))
        sources = join([line((source, NAME)) for source in _cause(first)[-1][:_GUARDS]], ", ")
        what = "no entry again" if first.fallback else "a new entry" + " each" * (len(more) > 1)
        said = join([line(calls), frame, line(f"{what}: ", sources)])
        yield from fold(line(said, (" (-v shows all)", DIM)), view.width, indent=2, hang=4)
    if left := alike[_AGAIN:]:
        number = count(sum(map(len, left)), "more recompile")
        frames = count(len({(m.frame, m.file, m.line) for more in left for m in more}), "frame")
        said = line((f"and {number} of {frames} (-v shows all)", DIM))
        yield from fold(said, view.width, indent=2)


def _merged(shown: Sequence[Recompile]) -> Iterator[tuple[list[int], Recompile]]:
    """Neighbours that tell the same but for their call, with their calls: a frame at its limit
    misses with the same values again and again."""
    for _, same in groupby(shown, key=lambda missed: missed.model_copy(update={"call": -1})):
        alike = list(same)
        yield [missed.call for missed in alike], alike[0]


def _shown(every: Sequence[Recompile], view: View) -> tuple[list[Recompile], list[list[Recompile]]]:
    """What is told one by one, and the rest of those that have the same cause."""
    causes: dict[object, list[Recompile]] = {}
    for missed in every:
        causes.setdefault(_cause(missed), []).append(missed)
    if view.verbose or len(every) <= _MISSES:
        return list(every), []
    kept = _ALIKE if len(causes) <= _CAUSES else 1
    told, others = list(causes.values())[:_CAUSES], list(causes.values())[_CAUSES:]
    shown = {id(missed) for cause in told for missed in cause[:kept]}
    alike = [cause[kept:] for cause in told if len(cause) > kept]
    return [missed for missed in every if id(missed) in shown], alike + others


def _cause(missed: Recompile) -> tuple[str, str, int, bool, tuple[str, ...]]:
    nearest = missed.against[0].failed if missed.against else ()
    sources = tuple(guard.source for guard in nearest)
    return (missed.frame, missed.file, missed.line, missed.fallback, sources)


def _head(calls: Sequence[int], missed: Recompile, report: Report) -> Text:
    became = (
        line(("no entry: the recompile limit forbids another", OUTCOME["fallback"]))
        if missed.fallback
        else line("new entry ", (missed.compile_id or "?", NAME))
    )
    frame = line((missed.frame, NAME), " ", at(missed.file, missed.line, report.cwd))
    return join([line(in_words(calls, "call")), frame, became])


def _in_full(
    against: Against, starts: list[int], told: _Told, report: Report, view: View
) -> Iterator[Text]:
    says = prose(against.torch_says)
    if against.failed and not view.verbose:  # the rows below have the place
        says = _PLACE.sub("", says)
    head = line(f"against {against.compile_id}  ", (says, DIM))
    yield from fold(head, view.width, indent=4, hang=4)
    if against.note:
        yield from fold(line(prose(against.note)), view.width, indent=6)
    failed = _told(against, view)
    for number, guard in enumerate(failed):
        if number == 1 and failed[0].first:
            yield line("      ", ("and these would have failed too:", DIM))
        way = (guard.file, guard.line, guard.near, guard.stack)
        bare = guard.near is None and len(guard.stack) < 2
        known = not view.verbose and (way in told.ways or (bare and way[:2] in told.ways))
        told.ways.update((way, way[:2]))
        yield from flow(_cells(guard, report, known), starts, view.width)
        if not known:
            yield from _led_there(guard, report, view)
    if len(failed) < len(against.failed):
        left = count(len(against.failed) - len(failed), "more guard")
        yield line("      ", (f"and {left} (-v shows all)", DIM))
    yield from _not_reached(against, view)


def _led_there(guard: FailedGuard, report: Report, view: View) -> Iterator[Text]:
    """From the user's own code to the line that is guarded on, where that is more than the line
    itself; `-v` has the frames of libraries too."""
    if len(guard.stack) > 1 and (view.verbose or guard.near is None):
        stack = guard.stack if view.verbose else tuple(filter(_not_torchs, guard.stack[:-1]))
        label = "through" if view.verbose else "called from"
        said = line((f"{label} ", DIM), through(stack, report.cwd))
        yield from fold(said, view.width, indent=8) if stack else ()
    elif guard.near:
        code = with_code(at(guard.near.file, guard.near.line, report.cwd), guard.near.text)
        yield from fold(line(("reached from ", DIM), code), view.width, indent=8)


def _not_torchs(step: Line) -> bool:
    """Whether it is more than torch's own way to a module's forward."""
    return not short_path(step.file, "").startswith("torch/")


def _not_reached(against: Against, view: View) -> list[Text]:
    """Guards that nobody can ask, for what they hang on is not there or is another thing."""
    every = against.not_reached
    if not every:
        return []
    shown = every if view.verbose else every[:_NOT_REACHED]
    said = and_more(shown, len(every), "more value")
    return fold(line(("not reached, for they hang on these: ", DIM), said), view.width, indent=6)


def _what_to_do(missed: Recompile, told: _Told, report: Report, view: View) -> Iterator[Text]:
    """The advice of the findings that are about this recompile, where it is met first."""
    sources = {guard.source for against in missed.against[:1] for guard in against.failed}
    for number, found in enumerate(report.findings):
        mine = missed.call in found.calls and missed.frame == found.function
        if mine and number not in told.findings and found.advice and sources & set(found.subjects):
            told.findings.add(number)
            said = line(("what to do  ", DIM), in_short(found, view))
            if said.plain not in told.advice:
                told.advice.add(said.plain)
                yield from fold(said, view.width, indent=4, hang=4)


def _told(against: Against, view: View) -> tuple[FailedGuard, ...]:
    return against.failed if view.verbose else against.failed[:_GUARDS]


def _cells(guard: FailedGuard, report: Report, known: bool = False) -> list[Text]:
    """`known`: its line was told before."""
    where = Text()
    if guard.file and known:
        where = at(guard.file, guard.line, report.cwd)
    elif guard.file:
        where = with_code(at(guard.file, guard.line, report.cwd), guard.code)
    elif guard.code:
        where = line(guard.code)
    return [line((guard.source, NAME)), line((_kind(guard), DIM)), was_now(guard), where]


def _kind(guard: FailedGuard) -> str:
    return guard.kind.replace("_", " ")


def _in_brief(others: Sequence[Against], view: View) -> Iterator[Text]:
    """Entries that failed on the same guards share a line: `x: 4, 5 → 6`."""
    alike: dict[tuple[tuple[str, str], ...], list[Against]] = {}
    for against in others:
        key = tuple((guard.source, guard.actual) for guard in against.failed)
        alike.setdefault(key or ((against.torch_says, ""),), []).append(against)
    for same in alike.values():
        names = entries_in_words([against.compile_id for against in same])
        head = line(f"against {names}  ", join([*_changes(same)], "; "))
        yield from fold(head, view.width, indent=4, hang=4)


def _changes(same: Sequence[Against]) -> Iterator[Text]:
    first = same[0].failed
    for number, guard in enumerate(first[:_GUARDS]):
        was = list(dict.fromkeys(against.failed[number].expected for against in same))
        if len(was) > _VALUES:
            was[_VALUES - 2 : -1] = ["…"]
        yield line((guard.source, NAME), f": {', '.join(was)} → ", (guard.actual, NEW))
    if len(first) > _GUARDS:
        yield line(count(len(first) - _GUARDS, "more guard"))
    if not first:
        yield line((prose(same[0].torch_says), DIM))
        yield line(prose(same[0].note or ""))


def _dynamic(missed: Recompile, told: _Told, report: Report, view: View) -> list[Text]:
    """Why a later call with yet another size hits."""
    if not missed.dynamic_dims or missed.compile_id is None:
        return []
    entries = [entry for frame in report.frames for entry in frame.entries]
    entry = next((e for e in entries if e.compile_id == missed.compile_id), None)
    dims = [dynamic(dim) for dim in entry.dynamic_dims] if entry else []
    dims = dims or [line((dim, NAME)) for dim in missed.dynamic_dims]
    where = _conditions(entry) if entry else Text()
    what = "sizes" if entry and all(d.dim is not None for d in entry.dynamic_dims) else "values"
    said = line(
        " is dynamic in ", join(dims, ", "), f": it accepts other {what} in that range", where
    )
    frame = missed.compile_id.partition("/")[0]
    if f"{frame} {said.plain}" in told.ranges and not view.verbose:
        return []
    told.ranges.add(f"{frame} {said.plain}")
    return fold(line("graph ", (missed.compile_id, NAME), said), view.width, indent=4)


def _conditions(entry: Entry) -> Text:
    """What else the entry demands of its dynamic sizes: a range alone would promise too much."""
    said = [
        g.condition
        for g in entry.guards
        if g.kind == "symbolic" and g.condition[0] not in "≥≤" and not _RANGE.match(g.condition)
    ]
    if not said:
        return Text()
    more = f" and {len(said) - _CONDITIONS} more" if len(said) > _CONDITIONS else ""
    return line(" where ", ", ".join(said[:_CONDITIONS]), more)
