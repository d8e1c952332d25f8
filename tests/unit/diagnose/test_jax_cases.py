"""JAX's part of a report, sorted into cases."""

from __future__ import annotations

import pytest

from dynprobe.diagnose.jax import lost, parted, raised, retraces, stale
from dynprobe.report import Call, CallError, Line, Report
from dynprobe.report.jax import Jax, JaxCall, JaxCause
from dynprobe.report.parts import Change


def report_of(canonical: Report, *calls: JaxCall, route="bridge") -> Report:
    rows = tuple(
        Call(
            index=index, label=None, inputs=(), outcome="hit", ops_captured=0, calls_captured=0,
            graphs_compiled=0, unique_graphs=0, graph_runs=0, ops_run=0, breaks_crossed=0, jax=call,
        )
        for index, call in enumerate(calls)
    )  # fmt: skip
    return canonical.model_copy(update={"calls": rows, "jax": Jax(route=route)})


def traced(kind: str, path: str = "x") -> JaxCall:
    cause = JaxCause(kind=kind, path=path, now="f32[5]", before="f32[4]", before_call=0)
    return JaxCall(outcome="trace", traces=1, causes=(cause,))


def failed(line: int, *, eager_raises: bool | None = None) -> JaxCall:
    error = CallError(
        type="TracerBoolConversionError",
        message="",
        where=Line(file="m.py", line=line),
        eager_raises=eager_raises,
    )
    return JaxCall(outcome="error", error=error)


def test_the_first_trace_is_no_retrace(canonical: Report) -> None:
    report = report_of(canonical, traced("first", ""), traced("shape"), traced("shape"))
    assert [(told.first.kind, told.calls) for told in retraces(report)] == [("shape", (1, 2))]
    assert retraces(report, "dtype") == []


def test_errors_are_told_once_a_line_and_not_where_torch_raises_too(canonical: Report) -> None:
    report = report_of(canonical, failed(3), failed(3), failed(4), failed(5, eager_raises=True))
    assert [told.calls for told in raised(report)] == [(0, 1), (2,)]


def test_stale_and_parted_are_told_apart(canonical: Report) -> None:
    calls = [
        JaxCall(outcome="hit", stale=True, same_as_eager=False),
        JaxCall(outcome="hit", stale=False, same_as_eager=False),
        JaxCall(outcome="trace", stale=False, same_as_eager=False, random=True),
        JaxCall(outcome="hit", stale=False, same_as_eager=True),
    ]
    report = report_of(canonical, *calls)
    assert [index for index, _ in stale(report)] == [0]
    assert [index for index, _ in parted(report)] == [1]


def test_what_is_lost_is_told_by_what_it_is(canonical: Report) -> None:
    gone = Change(kind="printed", what="printed", before=None, eager="hi", compiled=None)
    report = report_of(canonical, traced("first"), JaxCall(outcome="hit", changes=(gone,)))
    assert {what: [index for index, _ in told] for what, told in lost(report).items()} == {
        "printed": [1]
    }


@pytest.mark.parametrize("route", [None])
def test_nothing_is_told_without_a_route(canonical: Report, route) -> None:
    calls = (traced("shape"), failed(3), JaxCall(outcome="hit", stale=True))
    report = report_of(canonical, *calls, route=route)
    assert (retraces(report), raised(report), stale(report)) == ([], [], [])
