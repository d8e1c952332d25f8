"""Why a call went as it did, in one short line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from dynprobe.diagnose.verdict import came_back
from dynprobe.report import Against, Call, FailedGuard, Recompile, Report

from .style import NAME, NEW, WRONG, join, line

_TOLD = 2  # causes of a call's misses


def why(report: Report, call: Call) -> Text:
    """The error, else the guards that failed against the nearest entry, else the reason; and
    whether its result is not eager's."""
    differs = call.eager is not None and call.eager.same is False
    said = (_why(report, call), line(("differs from eager", WRONG)) if differs else Text())
    return join(said, "; ")


def _why(report: Report, call: Call) -> Text:
    if call.error:
        if not came_back(report, call):
            return line(call.error.message)
        first = call.error.message.strip().splitlines() or [""]
        said = f"{call.error.type}: {first[0]}" if first[0] else call.error.type
        return line(said)
    changed = _changes([r for r in report.recompiles if r.call == call.index])
    if changed.plain and call.outcome in ("recompile", "fallback"):
        limit = any(run.limit_reached for run in call.frames)
        return line("recompile limit reached: ", changed) if limit else changed
    return line(call.reason or "")


def _nearest(missed: Recompile) -> Against | None:
    return next((a for a in missed.against if a.failed), None)


def _changes(missed: Sequence[Recompile]) -> Text:
    """What failed against each frame's nearest entry; frames split by a break share most of it."""
    nearest = [against.failed for frame in missed if (against := _nearest(frame))]
    told = {(text := change(guard)).plain: text for failed in nearest for guard in failed}
    said = join([*told.values()][:_TOLD], ", ")
    return line(said, f" and {len(told) - _TOLD} more") if len(told) > _TOLD else said


def change(guard: FailedGuard) -> Text:
    """`x.shape[0]: 4 → 5`."""
    return line((guard.source, NAME), ": ", was_now(guard))


def was_now(guard: FailedGuard) -> Text:
    return line(guard.expected, " → ", (guard.actual, NEW))
