"""What is around a graph break: lines of source, operations before and after, calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from dynprobe.diagnose.words import count
from dynprobe.report import Crossing, Frame, GraphBreak, Line, Report

from .style import DIM, WRONG, line
from .wrap import fold

_CALLS = 6  # runs of calls that are told
_FRAMES = 4  # frames whose operations are told on one side of a break


def context(lines: Sequence[Line], here: int, width: int) -> Iterator[Text]:
    """The lines with their numbers, less the indentation they share; the one at `here` is
    marked, by a sign and, in colour, by its look."""
    shown = _without_empty_ends([(e.line, (e.text or "").expandtabs(4)) for e in lines])
    margin = min((_indent(text) for _, text in shown if text.strip()), default=0)
    digits = len(str(shown[-1][0])) if shown else 0
    for number, text in shown:
        marked = number == here
        start = line((f"{'>' if marked else ' '} {number:>{digits}} ", WRONG if marked else DIM))
        code = line((text[margin:], "bold" if marked else DIM))
        hang = min(len(start.plain) + _indent(text[margin:]) + 2, width // 2)
        yield from fold(line(start, code), width, indent=4, hang=hang)


def _without_empty_ends(rows: list[tuple[int, str]]) -> list[tuple[int, str]]:
    said = [index for index, (_, text) in enumerate(rows) if text.strip()]
    return rows[said[0] : said[-1] + 1] if said else []


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def per_call(site: GraphBreak, every: bool) -> str:
    """`calls 0–3: 1× each · call 4: 12×`; nothing where each call it has crossed it alike."""
    if site.crossed is None or not site.per_call:
        return ""
    runs = list(_runs(site.per_call))
    if len(runs) == 1 and runs[0][-1].crossed <= 1:
        return ""
    shown = runs if every or len(runs) <= _CALLS else runs[: _CALLS - 1]
    said = " · ".join(map(_run, shown))
    left = sum(map(len, runs[len(shown) :]))
    return f"{said} · {count(left, 'more call')}" if left else said


def _runs(rows: Sequence[Crossing]) -> Iterator[list[Crossing]]:
    """Rows of calls that follow one another and crossed the place equally often."""
    for _, same in groupby(enumerate(rows), lambda row: (row[1].crossed, row[1].call - row[0])):
        yield [row for _, row in same]


def _run(rows: list[Crossing]) -> str:
    first, last = rows[0], rows[-1]
    if first is last:
        return f"call {first.call}: {first.crossed:,}×"
    return f"calls {first.call}–{last.call}: {first.crossed:,}× each"


def before_and_after(site: GraphBreak, report: Report) -> list[tuple[str, str]]:
    """Labels and texts: `2 ops before (g 0/0), 1 op after (g 1/0)`, on a line each where several
    frames are on one side."""
    if site.effect == "skip_frame" and not site.before:
        return []
    before, after = _graphs(site.before, report), _graphs(site.after, report)
    if len(before) <= 1 and len(after) <= 1:
        said = [_side(before, "before"), _side(after, "after")]
        return [("graphs", ", ".join(said))]
    return [("before", _all(before)), ("after", _all(after))]


def _side(graphs: list[tuple[str, str]], side: str) -> str:
    ops, entries = graphs[0] if graphs else ("nothing captured", "")
    return f"{ops} {side} ({entries})" if entries else f"{ops} {side}"


def _all(graphs: list[tuple[str, str]]) -> str:
    said = [f"{ops} ({entries})" for ops, entries in graphs[:_FRAMES]]
    left = len(graphs) - len(said)
    return ", ".join(said + ([count(left, "more frame")] if left else [])) or "nothing captured"


def _graphs(ids: Sequence[str], report: Report) -> list[tuple[str, str]]:
    """Of each frame that has entries among `ids`: its operations, and which entries."""
    wanted = set(ids)
    return [
        said
        for frame in report.frames
        if (
            said := _of_frame(
                frame, [e.compile_id for e in frame.entries if e.compile_id in wanted]
            )
        )
    ]


def _of_frame(frame: Frame, ids: list[str]) -> tuple[str, str] | None:
    if not ids:
        return None
    sizes = [len(e.graph.ops) if e.graph else 0 for e in frame.entries if e.compile_id in ids]
    low, high = min(sizes), max(sizes)
    ops = count(high, "op") if low == high else f"{low:,}–{high:,} ops"
    told = ids if len(ids) <= 3 else [ids[0], "…", ids[-1]]
    return ops, f"{frame.function} {', '.join(told)}"
