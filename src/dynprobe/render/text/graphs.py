"""Graphs: how many operations each entry captured and which, what is dynamic, the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.diagnose.words import count
from dynprobe.render.base import View
from dynprobe.report import Entry, Graph, Report

from .dims import dynamic, specialised, tied
from .style import DIM, NAME, PLACE, join, line, prose
from .wrap import fold

_IN_ORDER = 12  # operations (or runs of one) told in order; more are told as counts
_ENTRIES = 24  # entries told of
_KINDS = 10  # kinds of operation told with their counts


def graphs(report: Report, view: View) -> list[Text]:
    entries = [(frame.function, entry) for frame in report.frames for entry in frame.entries]
    shown = entries if view.verbose or view.graphs else entries[:_ENTRIES]
    lines: list[Text] = []
    told: dict[tuple[str, ...], str] = {}
    for function, entry in shown:
        lines += _entry(function, entry, told, report, view)
    if left := entries[len(shown) :]:
        ops = sum(len(entry.graph.ops) for _, entry in left if entry.graph)
        said = f"and {count(len(left), 'more entry', 'more entries')}, {count(ops, 'op')}"
        lines.append(line("  ", (f"{said} (-v shows all)", DIM)))
    return lines


def _entry(
    function: str, entry: Entry, told: dict[tuple[str, ...], str], report: Report, view: View
) -> Iterator[Text]:
    names = tuple(op.name for op in entry.graph.ops) if entry.graph else ()
    same = told.setdefault(names, entry.compile_id) if len(names) > _IN_ORDER else entry.compile_id
    said = _operations(entry.graph, view)
    if same != entry.compile_id and not view.verbose:
        said = line(f"{count(len(names), 'op')}, the same as {same}")
    head = line((function, NAME), " ", (entry.compile_id, NAME), "  ", said)
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


def _operations(graph: Graph | None, view: View) -> Text:
    if graph is None or not graph.ops:
        return line(("no operation", DIM))
    names = [op.name for op in graph.ops]
    total = f"{count(len(names), 'op')}: "
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
