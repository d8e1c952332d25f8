"""Frames that are compiled no more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dynprobe.diagnose.words import count, in_words
from dynprobe.report import Finding, Frame, Report

from .base import Fix, ReportRule, advised

_OWN_LIMIT = re.compile(r"\brecompile_limit=(\d+)")


def _over_the_limit(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for frame, lost in _limited(report):
        if not _is_accumulated(frame):
            own = _OWN_LIMIT.search(frame.skip_reason or "")
            limit = own[1] if own else report.settings.recompile_limit
            message = f"{frame.function} is at its recompile limit ({limit}): "
            yield _of_frame(rule, report, frame, message + _eagerly(lost), lost)


def _over_all(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for frame, lost in _limited(report):
        if _is_accumulated(frame):
            made = count(len(frame.entries), "entry", "entries")
            message = f"{frame.function} is at the limit of entries in all ({made}): "
            yield _of_frame(rule, report, frame, message + _eagerly(lost), lost)


def _limited(report: Report) -> Iterator[tuple[Frame, list[int]]]:
    """Frames at a limit, each with the calls that ran it eagerly for it."""
    for frame in report.frames:
        lost = [
            call.index
            for call in report.calls
            for run in call.frames
            if run.outcome == "fallback" and (run.file, run.line) == (frame.file, frame.line)
        ]
        if frame.state == "limit" and lost:
            yield frame, lost


def _is_accumulated(frame: Frame) -> bool:
    return "accumulated_recompile_limit" in (frame.skip_reason or "")


def _eagerly(lost: list[int]) -> str:
    return f"{in_words(list(dict.fromkeys(lost)), 'call')} ran it eagerly"


def _switched_off(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for frame in _skipped(report):
        if frame.entries:
            message = f"{frame.function} was captured, then one call switched it off for good " + (
                f"({frame.skip_reason})"
            )
            yield _of_frame(rule, report, frame, message)


def _given_up(rule: ReportRule, report: Report) -> Iterator[Finding]:
    lost = [site for site in report.graph_breaks if site.effect == "skip_frame"]
    told = {name for site in lost for name in site.frames}
    kinds = [site.kind for site in lost]
    for frame in _skipped(report):
        reason = frame.skip_reason or ""
        if frame.benign or frame.entries or frame.function in told:
            continue
        told.add(frame.function)  # once, also where several frames have its name
        if not any(
            kind in reason for kind in kinds
        ):  # the break tells it: of torch's wrapper of it
            yield _of_frame(
                rule, report, frame, f"{frame.function} runs eagerly for good ({reason})"
            )


def _skipped(report: Report) -> list[Frame]:
    return [frame for frame in report.frames if frame.state == "skipped"]


def _of_frame(
    rule: ReportRule, report: Report, frame: Frame, message: str, calls: list[int] | None = None
) -> Finding:
    since = () if frame.since is None else (frame.since,)
    return Finding(
        rule=rule.id,
        severity="error",
        message=message,
        advice=advised(rule, report, function=frame.function),
        file=frame.file,
        line=frame.line,
        function=frame.function,
        calls=since if calls is None else tuple(dict.fromkeys(calls)),
    )


RECOMPILE_LIMIT = ReportRule(
    id="recompile-limit",
    title="A frame is at its recompile limit",
    why="""\
A frame may have a number of cache entries (8, `torch._dynamo.config.recompile_limit`). After that
its entries still run for the calls they match, and every other call runs eagerly. torch warns when
the limit is reached, and says nothing on the calls after it.""",
    fixes=(
        Fix(
            key="limit",
            text="mend what makes it recompile, or raise the limit: --recompile-limit N, "
            "torch._dynamo.config.recompile_limit",
        ),
        Fix(
            key="per_function",
            text="or raise it for this one: torch.compile(…, recompile_limit=N)",
            since=(2, 13),
        ),
        Fix(
            key="isolate",
            text="or, where several places compile {function}, give each entries and a limit of "
            "its own: torch.compile(…, isolate_recompiles=True)",
            since=(2, 13),
        ),
    ),
    find=_over_the_limit,
)
ACCUMULATED_LIMIT = ReportRule(
    id="accumulated-limit",
    title="A frame is at the limit of entries in all",
    why="""\
Beside the recompile limit there is one for all entries of a code object together (256,
`torch._dynamo.config.accumulated_recompile_limit`), which a raised recompile limit does not lift. A
code object that was compiled that often, even where its entries were thrown away since, is not
compiled again.""",
    fixes=(
        Fix(
            key="limit",
            text="mend what makes it recompile, or raise "
            "torch._dynamo.config.accumulated_recompile_limit",
        ),
    ),
    find=_over_all,
)
SWITCHED_OFF = ReportRule(
    id="switched-off",
    title="One call switched a captured frame off",
    why="""\
When one call of a function captures nothing (it reaches no tensor operation, breaks where Dynamo
cannot resume, or runs under a torch dispatch mode), Dynamo remembers the code object as one to
skip. The graphs it already has are then not looked at again: every later call runs eagerly, in
silence, for the rest of the process.""",
    fixes=(Fix(key="apart", text="keep such calls out of the compiled function"),),
    find=_switched_off,
)
FRAME_GIVEN_UP = ReportRule(
    id="frame-given-up",
    title="A frame runs eagerly for good",
    why="""\
Dynamo gave the frame up when it met it first and never tries again. Nothing in it is compiled;
functions it calls are still captured by themselves.""",
    find=_given_up,
)
LIMIT_RULES: tuple[ReportRule, ...] = (
    RECOMPILE_LIMIT,
    ACCUMULATED_LIMIT,
    SWITCHED_OFF,
    FRAME_GIVEN_UP,
)
