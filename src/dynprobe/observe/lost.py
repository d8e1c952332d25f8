"""What each call would have been alone, beside what it was. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..report import Alone, Call, CallError, Report, Unknown
from .assemble import Assembler

_SILENT = "it told nothing of this call"


def with_alone(report: Report, told: Assembler | None, unknown: str | None) -> Report:
    """`report` with `Call.alone` filled in, by index. `told` is what the observation of the calls
    alone told, `unknown` why no more. A call without such a fact is unknown, with the reason."""
    alone = {call.index: call for call in told.calls} if told else {}
    calls = [_beside(call, alone.get(call.index)) for call in report.calls]
    return report.model_copy(
        update={
            "calls": tuple(calls),
            "unknown": (
                *report.unknown,
                *_passed_on(report, told),
                *_missing(calls, alone, unknown),
            ),
        }
    )


def _beside(call: Call, alone: Call | None) -> Call:
    """With what it was alone, if that was the same call."""
    if alone is None or alone.inputs != call.inputs:
        return call
    fact = Alone(
        outcome=alone.outcome,
        ops_run=alone.ops_run,
        graph_runs=alone.graph_runs,
        lost=_lost(call, alone),
        error=_said(alone.error),
        frames=alone.frames,
    )
    return call.model_copy(update={"alone": fact})


def _lost(call: Call, alone: Call) -> int:
    """0 for a call that ended its process: what it ran before that is not known."""
    if call.error is not None and call.error.kind != "raised":
        return 0
    return max(0, alone.ops_run - call.ops_run)


def _said(error: CallError | None) -> str | None:
    if error is None:
        return None
    return f"{error.type}: {error.message}" if error.message else error.type


def _missing(
    calls: Sequence[Call], alone: dict[int, Call], unknown: str | None
) -> Iterator[Unknown]:
    silent = [call.index for call in calls if call.index not in alone]
    if silent:
        what = f"call {silent[0]}" if len(silent) == 1 else f"calls {silent[0]} to {silent[-1]}"
        yield Unknown(what=f"{what} alone", reason=unknown or _SILENT)
    for call in calls:
        other = alone.get(call.index)
        if other is not None and other.inputs != call.inputs:
            said = f"its inputs came out otherwise there: {', '.join(other.inputs)}"
            yield Unknown(what=f"call {call.index} alone", reason=said)


def _passed_on(report: Report, told: Assembler | None) -> Iterator[Unknown]:
    """What was unknown of the calls alone, and is not known to be so already: what this torch
    does not have is told by each of their sessions."""
    known = {(fact.what, fact.reason) for fact in report.unknown}
    for fact in told.unknown if told else ():
        if (fact.what, fact.reason) not in known:
            known.add((fact.what, fact.reason))
            yield Unknown(what=f"{fact.what}, alone", reason=fact.reason)
