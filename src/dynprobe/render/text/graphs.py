"""Graphs: how many operations each entry captured and which, what is dynamic, the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.diagnose.words import count, entries_in_words
from dynprobe.render.base import View
from dynprobe.report import Entry, Frame, Graph, Report

from .dims import dynamic, specialised, tied
from .style import DIM, NAME, PLACE, join, line, prose
from .wrap import fold

_IN_ORDER = 12  # operations (or runs of one) told in order; more are told as counts
_ENTRIES = 16  # entries, or several that tell the same, told of
_KINDS = 10  # kinds of operation told with their counts


def graphs(report: Report, view: View) -> list[Text]:
    every = view.verbose or view.graphs
    alike = [
        group
        for frame in report.frames
        for group in (map(_one, frame.entries) if every else _alike(frame))
    ]
    shown = alike if every else alike[:_ENTRIES]
    functions = {e.compile_id: frame.function for frame in report.frames for e in frame.entries}
    lines: list[Text] = []
    told: dict[tuple[str, ...], str] = {}
    for entries in shown:
        function = functions[entries[0].compile_id]
        lines += _entries(function, entries, told, report, view)
    if left := [entry for entries in alike[len(shown) :] for entry in entries]:
        ops = sum(len(entry.graph.ops) for entry in left if entry.graph)
        said = f"and {count(len(left), 'more entry', 'more entries')}, {count(ops, 'op')}"
        lines.append(line("  ", (f"{said} (-v shows all)", DIM)))
    return lines


def _one(entry: Entry) -> list[Entry]:
    return [entry]


def _alike(frame: Frame) -> Iterator[list[Entry]]:
    """Neighbours of a frame whose graphs tell the same."""
    for _, same in groupby(frame.entries, key=_told_of):
        yield list(same)


def _told_of(entry: Entry) -> tuple[object, ...]:
    names = [op.name for op in entry.graph.ops] if entry.graph else []
    return names, entry.dynamic_dims, entry.specialised, entry.break_at


def _entries(
    function: str,
    entries: Sequence[Entry],
    told: dict[tuple[str, ...], str],
    report: Report,
    view: View,
) -> Iterator[Text]:
    """Of entries that tell the same, which is told once."""
    entry = entries[0]
    ids = entries_in_words([e.compile_id for e in entries])
    names = tuple(op.name for op in entry.graph.ops) if entry.graph else ()
    same = told.setdefault(names, entry.compile_id) if len(names) > _IN_ORDER else entry.compile_id
    said = _operations(entry.graph, view, " each" if len(entries) > 1 else "")
    if same != entry.compile_id and not view.verbose:
        said = line(f"{count(len(names), 'op')}, the same as {same}")
    head = line((function, NAME), " ", (ids, NAME), "  ", said)
    yield from fold(head, view.width, indent=2, hang=4)
    for dim in entry.dynamic_dims:
        reason = f"; {prose(dim.reason)}" if dim.reason else ""
        said = join([line(("dynamic ", DIM), dynamic(dim), reason), tied(dim, report.cwd)], "; ")
        yield from fold(said, view.width, indent=6)
    for fixed in entry.specialised:
        yield from fold(specialised(fixed, report.cwd), view.width, indent=6, hang=4)
    if entry.break_at is not None and entry.break_at < len(report.graph_breaks):
        ends = report.graph_breaks[entry.break_at]
        where = (place(ends.file, ends.line, report.cwd), PLACE)
        yield from fold(line(("ends at the graph break ", DIM), where), view.width, indent=6)
    if view.graphs and entry.graph:
        yield from _code(entry.graph, view)


def _operations(graph: Graph | None, view: View, each: str) -> Text:
    if graph is None or not graph.ops:
        return line(("no operation", DIM))
    names = [op.name for op in graph.ops]
    total = f"{count(len(names), 'op')}{each}: "
    runs = [_times(name, len(list(run))) for name, run in groupby(names)]
    if len(runs) <= _IN_ORDER:
        return line(total, ", ".join(runs))
    counted = Counter(names).most_common()
    ordered = sorted(counted, key=lambda pair: (-pair[1], pair[0]))
    shown = ordered if view.verbose else ordered[:_KINDS]
    said = ", ".join(_times(name, number) for name, number in shown)
    left = sum(number for _, number in ordered[len(shown) :])
    return line(
        total, said, f", and {left:,} of {len(ordered) - len(shown)} other kinds" if left else ""
    )


def _times(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ×{number:,}"


def _code(graph: Graph, view: View) -> Iterator[Text]:
    if graph.inputs:
        yield from fold(line(("inputs ", DIM), ", ".join(graph.inputs)), view.width, indent=6)
    code = graph.code if graph.code is not None else _listing(graph)
    for written in code.expandtabs(4).strip("\n").splitlines():
        yield from fold(line(written), view.width, indent=6, hang=4)


def _listing(graph: Graph) -> str:
    """Of a graph whose code was not kept: its operations, one a line."""
    return "\n".join(f"{op.name} → {op.aval}" if op.aval else op.name for op in graph.ops)
