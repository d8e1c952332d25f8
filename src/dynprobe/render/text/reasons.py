"""Why a call went as it did, in one short line."""

from __future__ import annotations

from rich.text import Text

from dynprobe.report import Against, Call, FailedGuard, Recompile, Report

from .style import NAME, NEW, join, line


def why(report: Report, call: Call) -> Text:
    """The error, else the guards that failed against the nearest entry, else the reason."""
    if call.error:
        if call.error.kind != "raised":
            return line(call.error.message)
        first = call.error.message.strip().splitlines() or [""]
        said = f"{call.error.type}: {first[0]}" if first[0] else call.error.type
        return line(said)
    missed = [r for r in report.recompiles if r.call == call.index and _nearest(r)]
    if missed and call.outcome in ("recompile", "fallback"):
        told = {_changes(m).plain: _changes(m) for m in missed}
        changed = join(list(told.values())[:2], "; ")
        limit = any(run.limit_reached for run in call.frames)
        return line("recompile limit reached: ", changed) if limit else changed
    return line(call.reason or "")


def _nearest(missed: Recompile) -> Against | None:
    return next((a for a in missed.against if a.failed), None)


def _changes(missed: Recompile) -> Text:
    nearest = _nearest(missed)
    failed = nearest.failed if nearest else ()
    said = join([change(guard) for guard in failed[:2]], ", ")
    return line(said, f" and {len(failed) - 2} more") if len(failed) > 2 else said


def change(guard: FailedGuard) -> Text:
    """`x.shape[0]: 4 → 5`."""
    return line((guard.source, NAME), ": ", was_now(guard))


def was_now(guard: FailedGuard) -> Text:
    return line(guard.expected, " → ", (guard.actual, NEW))
