"""Limits: what holds, what does not, and what the verdict then says."""

from __future__ import annotations

import pytest

from dynprobe.diagnose.verdict import judge
from dynprobe.gate.limits import Limits, exceeded, gated
from dynprobe.report import End, Jax, JaxCall, Report

NONE = Jax(route=None, unavailable="jax is not installed (pip install 'dynprobe[jax]')")


def traced(canonical: Report, *traces: int, jax: Jax | None = None) -> Report:
    """Calls that came back, with these numbers of traces."""
    calls = tuple(
        call.model_copy(update={"jax": JaxCall(outcome="trace" if n else "hit", traces=n)})
        for call, n in zip(canonical.calls, traces, strict=False)
    )
    known = {
        "calls": calls,
        "jax": jax or canonical.jax,
        "end": End(complete=True, kind="done"),
    }
    return judge(canonical.model_copy(update=known))


@pytest.mark.parametrize(
    ("most", "said"),
    [(3, ()), (2, ("--max-jax-traces 2: 3 traces, in calls 0, 2",)), (None, ())],
)
def test_most_traces(canonical: Report, most: int | None, said: tuple[str, ...]) -> None:
    report = traced(canonical, 1, 0, 2)
    assert exceeded(report, Limits(max_jax_traces=most)) == said


def test_a_limit_that_does_not_hold_is_exit_code_1(canonical: Report) -> None:
    report = traced(canonical, 1, 0, 2)
    assert report.verdict is not None
    assert report.verdict.exit_code == 0
    verdict = gated(report, Limits(max_jax_traces=0)).verdict
    assert verdict is not None
    assert verdict.exit_code == 1
    assert verdict.text.endswith("--max-jax-traces 0: 3 traces, in calls 0, 2")
    assert gated(report, Limits(max_jax_traces=3)) == report


def test_a_call_that_raised_keeps_its_exit_code(canonical: Report) -> None:
    assert canonical.verdict is not None
    verdict = gated(canonical, Limits(max_jax_traces=0)).verdict
    assert verdict is not None
    assert verdict.exit_code == canonical.verdict.exit_code == 3


def test_jax_required(canonical: Report) -> None:
    required = Limits(require_jax=True)
    assert exceeded(traced(canonical, 1, 0), required) == ()
    (said,) = exceeded(traced(canonical, 1, jax=NONE), required)
    assert said == f"--require-jax: JAX was not observed: {NONE.unavailable}"
    (said,) = exceeded(canonical, required)
    assert said.startswith("--require-jax: JAX was not observed in calls 7, 8, 9, 10: the bridge")


def test_what_was_not_counted_does_not_hold(canonical: Report) -> None:
    (said,) = exceeded(traced(canonical, 0, jax=NONE), Limits(max_jax_traces=9))
    assert said == "--max-jax-traces 9: not counted, JAX was not observed"
