"""Graph breaks: a place each, worst first, with its lines, how often, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Final

from rich.text import Text

from dynprobe.diagnose.breaks import eagerly, worst_first
from dynprobe.diagnose.words import in_figures, in_words
from dynprobe.render.base import View
from dynprobe.report import Effect, Finding, GraphBreak, Report

from .around import before_and_after, context, per_call
from .findings import in_short
from .places import at, through, with_code
from .style import DIM, NAME, PLACE, line, lines_of, prose
from .wrap import fold

_EFFECT: Final[dict[Effect, str]] = {
    "split": "split: captured up to here, resumed after",
    "rest_eager": "captured up to here; {eager} runs eagerly",
    "skip_frame": "{eager} runs eagerly, on every call",
}
_INSIDE: Final = {
    "loop": "Dynamo cannot go on after a break inside a loop",
    "with": "Dynamo cannot go on after a break inside a with block that it cannot leave and enter "
    "again",
    "try": "Dynamo cannot go on after a break inside a try statement",
    "generator": "Dynamo cannot go on after a break in a generator, nor compile one by itself",
}
_NO_ADVICE: Final = (
    "This graph break",
    "Please report an issue",
    "Please file an issue",
    "It may be possible to write Dynamo tracing rules",
    "This is likely to be a Dynamo bug",
    "Your code may result in an error when running in eager",
    "File an issue to PyTorch",
    "If it is a Python builtin, please file an issue",
)
"""How torch's hints begin that say what becomes of Dynamo, not what to write."""
_LABEL = 10
_FULL = 10  # places told in full
_FULL_OF_MANY = 5  # where there are more than `_MANY`
_MANY = 30
_BRIEF = 20  # places told with their line; of more, the numbers of the lines
_HINTS = 2  # of torch's, of a place


def breaks(report: Report, view: View) -> list[Text]:
    lines: list[Text] = []
    told: dict[object, Text] = {}
    sites = worst_first(report)
    full = sites if view.verbose else sites[: _FULL if len(sites) <= _MANY else _FULL_OF_MANY]
    for site in full:
        lines += [Text()] if lines else []
        lines += _break(site, told, report, view)
    lines += _others(sites[len(full) :], report, view)
    return lines


def _others(sites: Sequence[GraphBreak], report: Report, view: View) -> Iterator[Text]:
    if not sites:
        return
    yield Text()
    yield line("  ", (f"{len(sites):,} more (-v shows all that is known):", DIM))
    for site in sites[:_BRIEF]:
        yield from fold(_brief(site, report), view.width, indent=4)
    together: dict[tuple[str, str | None, str], list[int]] = {}
    for site in sites[_BRIEF:]:
        here = site.near or site
        together.setdefault((here.file, here.function, _kind(site)), []).append(here.line)
    for (file, function, kind), numbers in together.items():
        where = line(at(file, None, report.cwd), ":", (in_figures(sorted(numbers)), PLACE))
        times = f" ×{len(numbers):,}" if len(numbers) > 1 else ""
        said = line(where, (f" in {function}" if function else "", DIM), (f"  {kind}{times}", DIM))
        yield from fold(said, view.width, indent=4)


def _brief(site: GraphBreak, report: Report) -> Text:
    return line(_headed(site, report), (f"  {_kind(site)}", DIM))


def _kind(site: GraphBreak) -> str:
    return f"{site.kind} ({site.gb_id})" if site.gb_id else site.kind


def _headed(site: GraphBreak, report: Report) -> Text:
    """The place and its line: of a break in a library, the user's."""
    if site.near:
        near = site.near
        return with_code(at(near.file, near.line, report.cwd, near.function), near.text)
    return with_code(at(site.file, site.line, report.cwd, site.function), site.code)


def _break(
    site: GraphBreak, told: dict[object, Text], report: Report, view: View
) -> Iterator[Text]:
    """`told` has the places at which advice was given already: nobody reads it twice."""
    here = site.near or site
    if site.context:
        where = at(here.file, here.line, report.cwd, here.function)
        yield from fold(where, view.width, indent=2, hang=4)
        yield from context(site.context, here.line, view.width)
    else:
        yield from fold(_headed(site, report), view.width, indent=2, hang=4)
    yield from _facts(site, report, view)
    yield from _advice(site, told, report, view)


def _facts(site: GraphBreak, report: Report, view: View) -> Iterator[Text]:
    if site.near:
        code = with_code(at(site.file, site.line, report.cwd, site.function), site.code)
        yield from _said("breaks in", code, view)
    if len(site.stack) > 1:
        yield from _said("through", through(site.stack, report.cwd), view)
    yield from _said("kind", line((_kind(site), NAME)), view)
    yield from _said("effect", line(_effect(site, report)), view)
    yield from _said("how often", line(_how_often(site)), view)
    if said := per_call(site, view.verbose):
        yield from _said("per call", line(said), view)
    for label, graphs in before_and_after(site, report):
        yield from _said(label, line(graphs), view)


def _effect(site: GraphBreak, report: Report) -> str:
    said = _EFFECT[site.effect].format(eager=eagerly(site, report))
    if site.inside and site.effect != "split":
        said += f": {_INSIDE[site.inside]}"
    return said


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


def _advice(
    site: GraphBreak, told: dict[object, Text], report: Report, view: View
) -> Iterator[Text]:
    """What a test has proven to help, then torch's own words."""
    proven = [in_short(found, view) for found in _findings(site, report) if found.advice]
    known = (*(said.plain for said in proven), site.kind, site.explanation, site.hints)
    if known in told and not view.verbose:
        yield from _said("what to do", line("as at ", told[known]), view)
        return
    here = site.near or site
    told[known] = at(here.file, here.line, report.cwd)
    for said in proven:
        yield from _said("what to do", said, view)
    yield from _torch_says(site, view)


def _torch_says(site: GraphBreak, view: View) -> Iterator[Text]:
    """By default its explanation without the listing below, and the hints that say what to do."""
    said, _, listing = site.explanation.partition("\n\n")
    if said:
        yield from _said("torch says", line(prose(said)), view)
    for row in lines_of(dedent(listing)) if view.verbose else ():
        yield from _said("", line(row), view, hang=2)
    hints = [hint for hint in site.hints if view.verbose or not hint.startswith(_NO_ADVICE)]
    shown = hints if view.verbose else hints[:_HINTS]
    yield from _listed("" if said else "torch says", shown, view)
    if site.url and view.verbose:
        yield from _said("more", line((site.url, DIM)), view)


def _findings(site: GraphBreak, report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.break_index == site.index]


def _listed(label: str, texts: list[str], view: View) -> Iterator[Text]:
    for number, text in enumerate(texts):
        yield from _said("" if number else label, line("- ", prose(text)), view, hang=2)


def _said(label: str, what: Text, view: View, hang: int = 0) -> list[Text]:
    labelled = line((label.ljust(_LABEL), DIM), "  ", what)
    return fold(labelled, view.width, indent=4, hang=_LABEL + 2 + hang)
