"""What the report says is on the screen: not eaten as markup, not cut off."""

from __future__ import annotations

import re

import pytest

from dynprobe.render import View, renderer
from dynprobe.render.text.style import clean
from dynprobe.report import Guard, Report

WIDTHS = (60, 80, 120, 200)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def shown(report: Report, width: int) -> str:
    view = View(width=width, verbose=True, all_guards=True, graphs=True)
    return squeezed(renderer("text").render(report, view))


def missing(screen: str, texts: list[str]) -> list[str]:
    return [t for t in texts if squeezed(clean(" ".join(t.split()))) not in screen]


def guards_of(report: Report) -> list[Guard]:
    return [g for frame in report.frames for entry in frame.entries for g in entry.guards]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_guard(canonical: Report, width: int) -> None:
    guards = guards_of(canonical)
    assert len(guards) > 300
    texts = [text for guard in guards for text in (guard.source, guard.condition)]
    assert missing(shown(canonical, width), texts) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_failed_guard(canonical: Report, width: int) -> None:
    failed = [g for r in canonical.recompiles for a in r.against for g in a.failed]
    texts = [t for g in failed for t in (g.source, f"{g.expected} → {g.actual}", g.code or "")]
    says = [a.torch_says for r in canonical.recompiles for a in r.against]
    assert missing(shown(canonical, width), texts + says) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_break(canonical: Report, width: int) -> None:
    texts = [
        text
        for b in canonical.graph_breaks
        for text in (b.code or "", b.kind, b.gb_id or "", b.explanation, b.url or "", *b.hints)
    ]
    assert missing(shown(canonical, width), texts) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_every_error_reason_and_unknown(canonical: Report, width: int) -> None:
    errors = [call.error for call in canonical.calls if call.error]
    texts = [text for e in errors for text in (e.type, e.message, e.traceback or "")]
    texts += [f.skip_reason or "" for f in canonical.frames if not f.benign]
    texts += [text for fact in canonical.unknown for text in (fact.what, fact.reason)]
    texts += [canonical.target.name, canonical.end.message]
    assert missing(shown(canonical, width), texts) == []


@pytest.mark.parametrize("width", [60, 200])
def test_every_call(canonical: Report, width: int) -> None:
    """Where the inputs have a line or a cell of their own; between, a cell may fold."""
    screen = shown(canonical, width)
    texts = [", ".join(call.inputs) for call in canonical.calls]
    texts += [call.label or "" for call in canonical.calls]
    assert missing(screen, texts) == []


def test_what_a_person_needs_without_any_option(canonical: Report) -> None:
    screen = renderer("text").render(canonical, View(width=120))
    for text in (
        "x.shape[0]: 4 → 5",
        "graph 0/1 is dynamic in x dim 0 (s77 ≥ 2)",
        "models/block.py:31 in forward",
        "    > 31 if h.sum() > 0:",
        "Data-dependent branching (GB0170)",
        "L['self']._modules['proj']",
        "calls_captured counts operations captured into graphs, not calls.",
        "136 on library objects, 5 on the process",
    ):
        assert text in screen
