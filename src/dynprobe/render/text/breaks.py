"""Graph breaks: a place each, with its line, its kind, how often, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from dynprobe.render.base import View
from dynprobe.report import Effect, GraphBreak, Report

from .places import at, through, with_code
from .style import DIM, NAME, line, prose
from .wrap import fold

_EFFECT: Final[dict[Effect, str]] = {
    "split": "split: captured up to here, resumed after",
    "rest_eager": "captured up to here; the rest of the frame runs eagerly",
    "skip_frame": "nothing of the frame is captured: all of it runs eagerly",
}
_LABEL = 10


def breaks(report: Report, view: View) -> list[Text]:
    lines: list[Text] = []
    for graph_break in report.graph_breaks:
        if lines:
            lines.append(Text())
        lines += _break(graph_break, report, view)
    return lines


def _break(graph_break: GraphBreak, report: Report, view: View) -> Iterator[Text]:
    where = at(graph_break.file, graph_break.line, report.cwd, graph_break.function)
    yield from fold(with_code(where, graph_break.code), view.width, indent=2, hang=4)
    gb_id = f" ({graph_break.gb_id})" if graph_break.gb_id else ""
    yield from _said("kind", line((graph_break.kind, NAME), gb_id), view)
    yield from _said("effect", line(_EFFECT[graph_break.effect]), view)
    yield from _said("how often", line(_how_often(graph_break)), view)
    if graph_break.near:
        near = graph_break.near
        code = with_code(at(near.file, near.line, report.cwd, near.function), near.text)
        yield from _said("from", code, view)
    if len(graph_break.stack) > 1:
        yield from _said("through", through(graph_break.stack, report.cwd), view)
    if graph_break.explanation:
        yield from _said("why", line(prose(graph_break.explanation)), view)
    for number, hint in enumerate(graph_break.hints):
        label = "" if number else "what to do"
        yield from _said(label, line("- ", prose(hint)), view, hang=2)
    if graph_break.url and view.verbose:
        yield from _said("more", line((graph_break.url, DIM)), view)


def _how_often(graph_break: GraphBreak) -> str:
    verb = "given up" if graph_break.effect == "skip_frame" else "captured"
    said = f"{verb} {graph_break.at_capture:,}×{_in_calls(graph_break.calls)}"
    if graph_break.crossed is not None:
        return f"{said}, crossed {graph_break.crossed:,}×"
    if graph_break.effect == "split":
        return said
    return f"{said}; later calls are not counted: what runs eagerly tells nothing"


def _in_calls(calls: tuple[int, ...]) -> str:
    """` (calls 0, 3)`, at most eight of them."""
    if not calls:
        return ""
    noun = "call" if len(calls) == 1 else "calls"
    more = f" and {len(calls) - 8} more" if len(calls) > 8 else ""
    return f" ({noun} {', '.join(map(str, calls[:8]))}{more})"


def _said(label: str, what: Text, view: View, hang: int = 0) -> list[Text]:
    labelled = line((label.ljust(_LABEL), DIM), "  ", what)
    return fold(labelled, view.width, indent=4, hang=_LABEL + 2 + hang)
