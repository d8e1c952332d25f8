"""Graph breaks → findings, worst first."""

from __future__ import annotations

from collections.abc import Iterator

from dynprobe.report import Finding, GraphBreak, Report, Severity

from .rules import BREAK_RULES, GIVEN_UP_RULES, BreakRule
from .rules.base import advised
from .rules.sites import callee
from .words import in_words


def break_findings(report: Report) -> Iterator[Finding]:
    """One a place."""
    for site in worst_first(report):
        yield _finding(site, report)


def worst_first(report: Report) -> list[GraphBreak]:
    """Frames given up, then places by how often calls ran over them, then by the operations that
    they keep out of one graph."""
    sizes = {
        entry.compile_id: len(entry.graph.ops) if entry.graph else 0
        for frame in report.frames
        for entry in frame.entries
    }
    return sorted(report.graph_breaks, key=lambda site: _badness(site, sizes))


def _badness(site: GraphBreak, sizes: dict[str, int]) -> tuple[int, int, int, int]:
    apart = sum(sizes.get(entry, 0) for entry in (*site.before, *site.after))
    order = {"skip_frame": 0, "rest_eager": 1, "split": 2}
    return (order[site.effect], -(site.crossed or site.at_capture), -apart, site.index)


def _finding(site: GraphBreak, report: Report) -> Finding:
    near = site.near or site
    rule = next(rule for rule in BREAK_RULES if rule.matches(site))
    advice = advised(rule, report, **words(site))
    severity: Severity = "warning"
    if site.effect == "skip_frame":
        severity = "error"
    given_up = _given_up(site)
    if given_up is not None:
        rule = given_up
        advice = "\n".join(filter(None, (advice, advised(rule, report, **words(site)))))
    return Finding(
        rule=rule.id,
        severity=severity,
        message=_message(site, report),
        advice=advice,
        file=near.file,
        line=near.line,
        function=near.function,
        subjects=(site.kind,),
        calls=site.calls,
        break_index=site.index,
        url=site.url,
    )


def _given_up(site: GraphBreak) -> BreakRule | None:
    if site.effect == "split":
        return None
    return next((rule for rule in GIVEN_UP_RULES if rule.matches(site)), None)


def _message(site: GraphBreak, report: Report) -> str:
    if site.effect == "skip_frame":
        more = f", inside a {site.inside}" if site.inside and site.inside not in site.kind else ""
        return f"{eagerly(site, report)} runs eagerly for good: {_what(site)}{more}"
    said = f"graph break: {_what(site)}"
    if site.crossed is not None:
        said += f", crossed {site.crossed:,}×"
    if site.effect == "rest_eager":
        said += f"; {eagerly(site, report)} runs eagerly"
    return said


def _what(site: GraphBreak) -> str:
    """Its kind, and what is called there where torch says that only in the explanation."""
    called = callee(site)
    return f"{site.kind} ({called})" if called and called not in site.kind else site.kind


def eagerly(site: GraphBreak, report: Report) -> str:
    """What a break makes run eagerly: `all of f`, `the rest of f` where Dynamo had resumed f
    before it gave it up."""
    names = list(site.frames)
    skipped = [f for f in report.frames if f.state == "skipped" and f.function in names]
    if site.effect == "skip_frame" and skipped:
        names = list(dict.fromkeys(f.function for f in skipped))
    name = " and ".join(names[:2]) or site.function or "the frame"
    resumed = bool(skipped) and all(frame.is_resume for frame in skipped)
    part = "the rest" if site.effect == "rest_eager" or resumed else "all"
    return f"{part} of {name}"


def words(site: GraphBreak) -> dict[str, str]:
    """What a fix's text may name: `function`, `line`, `code` (the source line), `kind`, `frame`
    (the frame that it split or ended), `calls`, `callee` (what is called there: `time.time`)."""
    near = site.near or site
    return {
        "function": near.function or "the function",
        "line": str(near.line),
        "code": (site.near.text if site.near else site.code) or "",
        "kind": site.kind,
        "frame": site.frames[0] if site.frames else near.function or "the frame",
        "calls": in_words(site.calls, "call"),
        "callee": callee(site) or f"what line {near.line} asks for",
    }
