"""What JAX did, in one clause of the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from dynprobe.report import Call, Report

from .words import count, in_words


def jax_clause(report: Report) -> Iterator[str]:
    """`JAX: 2 traces, 1 hit`. Why there is nothing of JAX is not for the verdict to say."""
    if report.jax is None or report.jax.route is None:
        return
    calls = [call for call in report.calls if call.jax is not None]
    said = [*_counts(calls), *_errors(calls), *_stale(calls)]
    if said:
        yield f"JAX: {', '.join(said)}"


def error_name(call: Call) -> str:
    """The class that the call raised under jax.jit, without its module; "" where it raised none."""
    error = call.jax.error if call.jax else None
    return error.type.rpartition(".")[2] if error else ""


def _counts(calls: list[Call]) -> Iterator[str]:
    outcomes = [call.jax.outcome for call in calls if call.jax]
    if traces := outcomes.count("trace"):
        yield count(traces, "trace")
    if hits := outcomes.count("hit"):
        yield count(hits, "hit")
    if missing := outcomes.count("unavailable"):
        yield "unavailable" if missing == len(calls) else f"unavailable in {count(missing, 'call')}"


def _errors(calls: list[Call]) -> Iterator[str]:
    raised: dict[str, list[int]] = {}
    for call in calls:
        if call.jax and call.jax.outcome == "error":
            raised.setdefault(error_name(call) or "an error", []).append(call.index)
    for name, indices in raised.items():
        every = len(indices) == len(calls) > 1
        where = "on each call" if every else f"in {in_words(indices, 'call')}"
        yield f"{name} {where}"


def _stale(calls: list[Call]) -> Iterator[str]:
    stale = [call.index for call in calls if call.jax and call.jax.stale]
    if not stale:
        return
    later = [call.index for call in calls if call.index >= stale[0]]
    from_there = stale == later and len(stale) > 1
    yield f"stale from call {stale[0]}" if from_there else f"stale in {in_words(stale, 'call')}"
