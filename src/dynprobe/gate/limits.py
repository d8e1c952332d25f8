"""A report held against limits: each is a row of `_LIMITS`, its value a field of `Limits`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynprobe.errors import ExitCode

if TYPE_CHECKING:  # pydantic, which `dynprobe --help` does without
    from dynprobe.report import Report


@dataclass(frozen=True, slots=True)
class Limits:
    """None and False: no limit. Fields are named as the options, `-` as `_`."""

    require_jax: bool = False
    max_jax_traces: int | None = None

    def __bool__(self) -> bool:
        return self != Limits()


def exceeded(report: Report, limits: Limits) -> tuple[str, ...]:
    """One line for each limit that does not hold: the limit, what was measured, and where."""
    found = (check(report, limits) for check in _LIMITS)
    return tuple(said for said in found if said is not None)


def gated(report: Report, limits: Limits) -> Report:
    """The judged report, its verdict's text and exit code with the limits that do not hold. An
    observation that failed keeps the exit code that says so."""
    lines = exceeded(report, limits)
    verdict = report.verdict
    if not lines or verdict is None:
        return report
    known = {
        "exit_code": verdict.exit_code or int(ExitCode.LIMIT),
        "text": "; ".join([verdict.text, *lines]),
    }
    return report.model_copy(update={"verdict": verdict.model_copy(update=known)})


def _require_jax(report: Report, limits: Limits) -> str | None:
    if not limits.require_jax:
        return None
    if report.jax is None or report.jax.route is None:
        reason = report.jax.unavailable if report.jax else None
        return f"--require-jax: JAX was not observed: {reason or 'no reason is known'}"
    missing = [c for c in report.calls if c.jax is None or c.jax.outcome == "unavailable"]
    if not missing:
        return None
    first = missing[0]
    reason = (first.jax.note if first.jax else None) or "it was not reached"
    calls = ", ".join(str(call.index) for call in missing)
    return f"--require-jax: JAX was not observed in call{'s'[: len(missing) > 1]} {calls}: {reason}"


def _max_jax_traces(report: Report, limits: Limits) -> str | None:
    """What could not be counted does not hold: a gate that measures nothing is none."""
    most = limits.max_jax_traces
    if most is None:
        return None
    if report.jax is None or report.jax.route is None:
        return f"--max-jax-traces {most}: not counted, JAX was not observed"
    each = [(call.index, call.jax.traces) for call in report.calls if call.jax and call.jax.traces]
    total = sum(traces for _, traces in each)
    if total <= most:
        return None
    calls = ", ".join(str(index) for index, _ in each)
    where = f"call{'s'[: len(each) > 1]} {calls}"
    return f"--max-jax-traces {most}: {total} trace{'s'[: total != 1]}, in {where}"


_LIMITS: tuple[Callable[[Report, Limits], str | None], ...] = (_require_jax, _max_jax_traces)
