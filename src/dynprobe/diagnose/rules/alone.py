"""What an earlier call cost a later one."""

from __future__ import annotations

from collections.abc import Iterator

from dynprobe.diagnose.lost import Loss, how, in_a_sentence, losses
from dynprobe.diagnose.words import in_words
from dynprobe.report import Finding, Report

from .base import Fix, ReportRule, advised
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
    """What helps against a frame that was switched off does not help against the limit."""
    states = {frame.state for frame in loss.frames}
    words = {"calls": in_words(loss.by, "call"), "function": "it"}
    if loss.frames:
        words["function"] = loss.frames[0].function
    rules = [rule] if "skipped" in states else []
    rules += [RECOMPILE_LIMIT] if "limit" in states else []
    return "\n".join(advised(each, report, **words) for each in rules)


LOST = ReportRule(
    id="lost-to-earlier-call",
    title="An earlier call made this one run eagerly",
    why="""\
`--alone` makes each call once more, with the same values and in the same order, in a process of
its own in which Dynamo forgets everything between two calls. A call that runs more operations in
graphs there than in the observation itself lost them to a call before it.

A frame that one call made Dynamo give up stays off for the whole process, also for calls that it
could compile: a break where it cannot resume (a loop, a `with`, a `try`), a torch dispatch mode,
or a call that reaches no tensor operation. A frame at its recompile limit runs eagerly whatever its
entries do not match. Both are silent. The finding names the frame, the calls that did it and how,
and the calls that pay.""",
    fixes=(
        Fix(
            key="stance",
            text="make {calls} with torch.compiler.set_stance('force_eager') held around it: "
            "it runs eagerly as it does now, and Dynamo does not give {function} up for it",
        ),
        Fix(
            key="apart",
            text="move what made Dynamo give {function} up, its whole loop or with-block, to a "
            "function under torch.compiler.disable: the graph is then split around it",
        ),
    ),
    find=_lost,
)
ALONE_RULES: tuple[ReportRule, ...] = (LOST,)
