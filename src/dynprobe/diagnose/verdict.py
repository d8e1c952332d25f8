"""The verdict: a report in one line, and the exit code it deserves. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from dynprobe.errors import ExitCode
from dynprobe.report import Call, GraphBreak, Report, Verdict

from .accepts import accepts
from .findings import find
from .jax_words import jax_clause
from .paths import place
from .words import count, in_words

_RUNS_SAID = 7  # more runs of equal outcomes than this are told as totals


def judge(report: Report) -> Report:
    """The same report with its `findings`, `accepts` and `verdict` filled in."""
    return judged(report.model_copy(update={"verdict": None}))[0]


def judged(report: Report) -> tuple[Report, Verdict]:
    """A report that has a verdict, its own if it came with one; and that verdict."""
    if report.verdict is not None:
        return report, report.verdict
    verdict = Verdict(exit_code=int(_exit_code(report)), text="; ".join(_clauses(report)))
    known = {"findings": find(report), "accepts": accepts(report), "verdict": verdict}
    return report.model_copy(update=known), verdict


def _exit_code(report: Report) -> ExitCode:
    if report.end.kind == "interrupted":
        return ExitCode.INTERRUPTED
    failed = not report.end.complete or any(call.error for call in report.calls)
    return ExitCode.TARGET if failed else ExitCode.OK


def _clauses(report: Report) -> Iterator[str]:
    yield _calls(report.calls)
    if report.calls:
        yield _breaks(report)
    yield from _limit(report)
    yield from _given_up(report)
    yield from _errors(report)
    yield from _beside(report.calls)
    yield from jax_clause(report)
    yield from _end(report)


def _calls(calls: tuple[Call, ...]) -> str:
    if not calls:
        return "no call was made"
    runs = [(name, len(list(run))) for name, run in groupby(call.outcome for call in calls)]
    if len(runs) <= _RUNS_SAID:
        said = [name if number == 1 else count(number, name) for name, number in runs]
    else:
        totals: dict[str, int] = {}
        for name, number in runs:
            totals[name] = totals.get(name, 0) + number
        said = [count(number, name) for name, number in totals.items()]
    return f"{count(len(calls), 'call')}: {', '.join(said)}"


def _breaks(report: Report) -> str:
    breaks = report.graph_breaks
    if not breaks:
        return "no graph break"
    where = _where(breaks[0], report.cwd)
    if len(breaks) == 1:
        return f"1 graph break at {where}"
    return f"{count(len(breaks), 'graph break')}, the first at {where}"


def _where(graph_break: GraphBreak, cwd: str) -> str:
    """The place in the user's own code, where the report knows one."""
    near = graph_break.near or graph_break
    return place(near.file, near.line, cwd)


def _limit(report: Report) -> Iterator[str]:
    """Torch warns when it reaches the limit, and says nothing on the calls after it."""
    reached = [c.index for c in report.calls if any(run.limit_reached for run in c.frames)]
    if not reached:
        return
    silent = [c for c in report.calls if c.outcome == "fallback" and c.index not in reached]
    said = f"recompile limit reached at call {reached[0]}"
    if silent:
        how = "eagerly" if all(c.ops_run == 0 for c in silent) else "partly eagerly"
        said += f", {count(len(silent), 'later call')} ran {how} in silence"
    yield said


def _given_up(report: Report) -> Iterator[str]:
    skipped = [frame for frame in report.frames if frame.state == "skipped"]
    lost = [f.function for f in skipped if f.entries or not f.benign]
    if lost:
        others = f" and {count(len(lost) - 1, 'other frame')}" if len(lost) > 1 else ""
        yield f"Dynamo gave up {lost[0]}{others}"
    elif report.frames and all(f.benign for f in report.frames):
        yield _nothing(report, next((f.since for f in skipped if f.since is not None), None))


def _nothing(report: Report, since: int | None) -> str:
    """Later calls of a frame that reached no operation run eagerly, whatever they would reach."""
    if since is None or len(report.calls) <= since + 1:
        return "no tensor operation to compile"
    return f"call {since} reached no tensor operation, and Dynamo skips all later ones"


def came_back(report: Report, call: Call) -> bool:
    """Whether a call with an error raised it (`SystemExit` is one, too) and did not end the
    process."""
    kind = call.error.kind if call.error else None
    ended = not report.end.complete and report.end.during_call == call.index
    return kind == "raised" or (kind == "exited" and not ended)


def _errors(report: Report) -> Iterator[str]:
    """Exceptions; a call that ended the process is told by `_end`."""
    raised = [(c.index, c.error) for c in report.calls if c.error and came_back(report, c)]
    if not raised:
        return
    index, error = raised[0]
    said = f"call {index} raised {error.type}"
    if error.eager_raises is not None:
        said += " in eager too" if error.eager_raises else " only when compiled"
    if len(raised) > 1:
        said += f", {count(len(raised) - 1, 'other call')} raised too"
    yield said


def _beside(calls: tuple[Call, ...]) -> Iterator[str]:
    """What --eager and --alone found. Functions that draw random numbers are told by a finding."""
    wrong = [c.index for c in calls if c.eager and c.eager.same is False and not c.eager.random]
    if wrong:
        yield f"{in_words(wrong, 'call')} differ{'s' * (len(wrong) == 1)} from eager"
    lost = [call.index for call in calls if call.alone and call.alone.lost]
    if lost:
        yield f"{in_words(lost, 'call')} lost operations to an earlier call"


def _end(report: Report) -> Iterator[str]:
    end = report.end
    if not end.complete:
        during = f" during call {end.during_call}" if end.during_call is not None else ""
        yield end.message or f"the observation ended early{during} ({end.kind})"
