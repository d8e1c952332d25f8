"""Graph breaks: a place each, with its line, its kind, how often, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from dynprobe.diagnose.words import in_words
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
_FULL = 10  # places told in full


def breaks(report: Report, view: View) -> list[Text]:
    lines: list[Text] = []
    told: dict[object, Text] = {}
    full = report.graph_breaks if view.verbose else report.graph_breaks[:_FULL]
    for graph_break in full:
        if lines:
            lines.append(Text())
        lines += _break(graph_break, told, report, view)
    more = [_brief(site, report) for site in report.graph_breaks[len(full) :]]
    if more:
        lines += [Text(), line("  ", (f"{len(more)} more (-v shows all that is known):", DIM))]
    for said in more:
        lines += fold(said, view.width, indent=4)
    return lines


def _brief(site: GraphBreak, report: Report) -> Text:
    where = at(site.file, site.line, report.cwd, site.function)
    return line(with_code(where, site.code), (f"  {_kind(site)}", DIM))


def _kind(site: GraphBreak) -> str:
    return f"{site.kind} ({site.gb_id})" if site.gb_id else site.kind


def _break(
    site: GraphBreak, told: dict[object, Text], report: Report, view: View
) -> Iterator[Text]:
    """`told` has the places at which advice was given already: nobody reads it twice."""
    where = at(site.file, site.line, report.cwd, site.function)
    yield from fold(with_code(where, site.code), view.width, indent=2, hang=4)
    yield from _said("kind", line((_kind(site), NAME)), view)
    yield from _said("effect", line(_EFFECT[site.effect]), view)
    yield from _said("how often", line(_how_often(site)), view)
    if site.near:
        near = site.near
        code = with_code(at(near.file, near.line, report.cwd, near.function), near.text)
        yield from _said("from", code, view)
    if len(site.stack) > 1:
        yield from _said("through", through(site.stack, report.cwd), view)
    advice = (site.kind, site.explanation, site.hints)
    if advice in told and not view.verbose:
        yield from _said("what to do", line("as at ", told[advice]), view)
        return
    told[advice] = at(site.file, site.line, report.cwd)
    yield from _advice(site, view)


def _advice(site: GraphBreak, view: View) -> Iterator[Text]:
    if site.explanation:
        yield from _said("why", line(prose(site.explanation)), view)
    for number, hint in enumerate(site.hints):
        label = "" if number else "what to do"
        yield from _said(label, line("- ", prose(hint)), view, hang=2)
    if site.url and view.verbose:
        yield from _said("more", line((site.url, DIM)), view)


def _how_often(site: GraphBreak) -> str:
    verb = "given up" if site.effect == "skip_frame" else "captured"
    said = f"{verb} {site.at_capture:,}×"
    if site.calls:
        said += f" ({in_words(site.calls, 'call')})"
    if site.crossed is not None:
        return f"{said}, crossed {site.crossed:,}×"
    if site.effect == "split":
        return said
    return f"{said}; later calls are not counted: what runs eagerly tells nothing"


def _said(label: str, what: Text, view: View, hang: int = 0) -> list[Text]:
    labelled = line((label.ljust(_LABEL), DIM), "  ", what)
    return fold(labelled, view.width, indent=4, hang=_LABEL + 2 + hang)
