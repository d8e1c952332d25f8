"""What the JAX side of a report tells, sorted into cases: pure functions of the report. Nothing
is told where JAX has no route."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynprobe.report import Report
from dynprobe.report.jax import JaxCall, JaxCause
from dynprobe.report.parts import CallError, Change

_NO_RETRACE = frozenset({"first", "failed_before"})


@dataclass(frozen=True, kw_only=True)
class Retrace:
    """New traces for one reason: `first` is the earliest cause, `calls` all that were traced."""

    first: JaxCause
    calls: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Raised:
    """One error of JAX's in one place, and the calls that raised it."""

    error: CallError
    calls: tuple[int, ...]


def observed(report: Report) -> Iterator[tuple[int, JaxCall]]:
    """Calls of which JAX's part is known, with their indices."""
    if report.jax is not None and report.jax.route is not None:
        for call in report.calls:
            if call.jax is not None and call.jax.outcome != "unavailable":
                yield call.index, call.jax


def retraces(report: Report, *kinds: str) -> list[Retrace]:
    """By kind and path; of all kinds where none is named. The first trace is no retrace."""
    found: dict[tuple[str, str], tuple[JaxCause, list[int]]] = {}
    for index, call in observed(report):
        for cause in call.causes:
            if cause.kind not in _NO_RETRACE and (not kinds or cause.kind in kinds):
                calls = found.setdefault((cause.kind, cause.path), (cause, []))[1]
                if index not in calls:
                    calls.append(index)
    return [Retrace(first=cause, calls=tuple(calls)) for cause, calls in found.values()]


def raised(report: Report) -> list[Raised]:
    """Errors by class and line. Those that plain torch raises too are the function's own."""
    found: dict[tuple[str, str, int], tuple[CallError, list[int]]] = {}
    for index, call in observed(report):
        if (error := call.error) is not None and not error.eager_raises:
            at = (error.where.file, error.where.line) if error.where else ("", 0)
            found.setdefault((error.type, *at), (error, []))[1].append(index)
    return [Raised(error=error, calls=tuple(calls)) for error, calls in found.values()]


def stale(report: Report) -> list[tuple[int, JaxCall]]:
    """Calls whose jitted result is not that of the same function un-jitted. A draw of random
    numbers is frozen by the trace too, and is told apart by `random`."""
    return [(index, call) for index, call in observed(report) if call.stale]


def lost(report: Report) -> dict[str, list[tuple[int, Change]]]:
    """What the un-jitted call changed or printed and the jitted one did not, by what it is."""
    found: dict[str, list[tuple[int, Change]]] = {}
    for index, call in observed(report):
        for change in call.changes:
            if change.eager != change.compiled and change.eager is not None:
                found.setdefault(change.what, []).append((index, change))
    return found


def parted(report: Report) -> list[tuple[int, JaxCall]]:
    """Calls whose result is not eager torch's, and neither stale nor drawn at random."""
    return [
        (index, call)
        for index, call in observed(report)
        if call.same_as_eager is False and not call.stale and not call.random
    ]
