"""What in a report is worth acting on: rules, each a pure function of the report.

A rule's advice is what a test does to a small function, after which the finding is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dynprobe.report import FailedGuard, Finding, Frame, Report

from .words import in_words

Rule = Callable[[Report], Iterator[Finding]]
_ORDER = {"error": 0, "warning": 1, "note": 2}


def find(report: Report) -> tuple[Finding, ...]:
    """All findings of a report, worst first; within a severity in the order of `RULES`."""
    found = [finding for rule in RULES for finding in rule(report)]
    return tuple(sorted(found, key=lambda finding: _ORDER[finding.severity]))


def recompile_limit(report: Report) -> Iterator[Finding]:
    """Frames at their limit: whatever matches no entry runs eagerly, without a word."""
    for frame in report.frames:
        lost = [
            call.index
            for call in report.calls
            for run in call.frames
            if run.outcome == "fallback" and (run.file, run.line) == (frame.file, frame.line)
        ]
        if frame.state == "limit" and lost:
            yield Finding(
                rule="recompile-limit",
                severity="error",
                message=f"{frame.function} is at its recompile limit "
                f"({report.settings.recompile_limit}): {in_words(lost, 'call')} ran it eagerly",
                advice="mend what makes it recompile (above), or raise the limit: "
                "--recompile-limit N, torch._dynamo.config.recompile_limit",
                file=frame.file,
                line=frame.line,
            )


def switched_off(report: Report) -> Iterator[Finding]:
    """Frames that had entries, until one call made Dynamo drop them and skip the frame for good."""
    for frame in _skipped(report):
        if frame.entries:
            yield Finding(
                rule="switched-off",
                severity="error",
                message=f"{frame.function} was captured, then one call switched it off for good "
                f"({frame.skip_reason})",
                advice="keep such calls out of the compiled function",
                file=frame.file,
                line=frame.line,
            )


def frame_given_up(report: Report) -> Iterator[Finding]:
    """Frames of which nothing is captured because of a break that cannot be resumed from."""
    for frame in _skipped(report):
        if not frame.benign and not frame.entries:
            yield Finding(
                rule="frame-given-up",
                severity="error",
                message=f"{frame.function} runs eagerly for good ({frame.skip_reason})",
                advice="mend what ended it (above), or move the part that can be captured into a "
                "function of its own",
                file=frame.file,
                line=frame.line,
            )


def _skipped(report: Report) -> list[Frame]:
    return [frame for frame in report.frames if frame.state == "skipped"]


def graph_break(report: Report) -> Iterator[Finding]:
    """Places where a frame was split. Those that ended a frame are told by `frame-given-up`."""
    for site in report.graph_breaks:
        if site.effect == "skip_frame":
            continue
        near = site.near or site
        times = "" if site.crossed is None else f", crossed {site.crossed:,}×"
        yield Finding(
            rule="graph-break",
            severity="warning",
            message=f"graph break: {site.kind}{times}",
            advice=site.hints[0] if site.hints else site.explanation,
            file=near.file,
            line=near.line,
        )


def size_recompile(report: Report) -> Iterator[Finding]:
    """Sizes that were guarded by value and changed; not 0 and 1, which are always their own."""
    told: set[str] = set()
    for recompile in report.recompiles:
        for against in recompile.against[:1]:
            for row in against.failed[:1]:
                if not _fixed_size(row) or row.source in told:
                    continue
                told.add(row.source)
                name, _, dim = row.source.partition(".shape[")
                yield Finding(
                    rule="size-recompile",
                    severity="note",
                    message=f"{row.source} changed ({row.expected} → {row.actual}): recompiled",
                    advice=f"say so before the first call: torch._dynamo.mark_dynamic({name}, "
                    f"{dim.rstrip(']')}), or compile with dynamic=True",
                    file=(row.near or row).file,
                    line=(row.near or row).line,
                )


def _fixed_size(row: FailedGuard) -> bool:
    sizes = (row.expected, row.actual)
    return row.kind == "size" and all(s.isdigit() for s in sizes) and not {"0", "1"} & set(sizes)


RULES: tuple[Rule, ...] = (
    recompile_limit,
    switched_off,
    frame_given_up,
    graph_break,
    size_recompile,
)
