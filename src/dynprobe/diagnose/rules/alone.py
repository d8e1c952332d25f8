"""What an earlier call cost a later one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynprobe.diagnose.lost import Loss, how, in_a_sentence, losses
from dynprobe.diagnose.words import in_words
from dynprobe.report import Finding, Frame, Report

from .base import Fix, ReportRule, Rule, advised
from .limits import RECOMPILE_LIMIT

_UNTOLD = "no frame tells which earlier call did it"


def _lost(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for loss in losses(report):
        frame = loss.frames[0] if loss.frames else None
        limit = report.settings.recompile_limit
        reasons = [how(each, limit) for each in loss.frames] or [_UNTOLD]
        yield Finding(
            rule=rule.id,
            severity="error",
            message=f"{in_a_sentence(loss)}: {'; '.join(reasons)}",
            advice=_advice(rule, report, loss),
            file=frame.file if frame else report.target.file,
            line=frame.line if frame else report.target.line,
            function=frame.function if frame else report.target.name,
            subjects=tuple(each.function for each in loss.frames),
            calls=loss.calls,
        )


def _advice(rule: ReportRule, report: Report, loss: Loss) -> str:
    """What helps against a frame that was switched off does not help against the limit, and what
    helps against a break is no help where nothing broke (a dispatch mode, a call without work)."""
    off = [frame for frame in loss.frames if frame.state == "skipped"]
    limited = [frame for frame in loss.frames if frame.state != "skipped"]
    helps: list[tuple[Rule, str]] = []
    if off:
        broke = any(_broke(report, frame) for frame in off)
        helps.append((rule if broke else replace(rule, fixes=(STANCE,)), off[0].function))
    if limited:
        helps.append((RECOMPILE_LIMIT, limited[0].function))
    calls = in_words(loss.by, "call")
    return "\n".join(advised(each, report, calls=calls, function=name) for each, name in helps)


def _broke(report: Report, frame: Frame) -> bool:
    """Whether a graph break is why Dynamo gave the frame up."""
    return any(
        site.effect == "skip_frame" and frame.function in site.frames
        for site in report.graph_breaks
    )


STANCE = Fix(
    key="stance",
    text="hold torch.compiler.set_stance('force_eager') around {calls}: it runs eagerly as it does "
    "now, and Dynamo does not give {function} up for it",
)
APART = Fix(
    key="apart",
    text="lift what made Dynamo give {function} up (the whole loop, where it is in one) into a "
    "function under torch.compiler.disable: the graph is then split around it",
)
LOST = ReportRule(
    id="lost-to-earlier-call",
    title="An earlier call made this one run eagerly",
    why="""\
`--alone` makes each call once more, with the same values and in the same order, in a process of
its own in which Dynamo forgets everything between two calls. A call that runs more operations in
graphs there than in the observation itself lost them to a call before it.

A frame that one call made Dynamo give up stays off for the whole process, also for calls that it
could compile: for a break where it cannot resume (in a loop, say), a torch dispatch mode, or a
call that reaches no tensor operation. A frame at its recompile limit runs eagerly whatever its
entries do not match. Both are silent. The finding names the frame, the calls that did it and how,
and the calls that pay.""",
    fixes=(STANCE, APART),
    find=_lost,
)
ALONE_RULES: tuple[ReportRule, ...] = (LOST,)
