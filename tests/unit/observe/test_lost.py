"""What each call would have been alone, merged into the report of the main observation."""

from __future__ import annotations

from dynprobe.observe.assemble import Assembler
from dynprobe.observe.lost import with_alone
from dynprobe.report import Call, CallError, FrameRun, Report, Unknown
from dynprobe.report.patch import Patch

RUN = FrameRun(function="f", file="f.py", line=1, compile_id="0/0", outcome="capture")


def call(index, *, ops, outcome="hit", error=None, inputs=("f32[3]",), frames=()) -> Call:
    return Call(
        index=index,
        label=None,
        inputs=inputs,
        outcome=outcome,
        ops_captured=0,
        calls_captured=0,
        graphs_compiled=0,
        unique_graphs=0,
        graph_runs=1 if ops else 0,
        ops_run=ops,
        breaks_crossed=0,
        error=error,
        frames=frames,
    )


def merged(canonical: Report, main: list[Call], alone: list[Call], why: str | None = None, **more):
    told = Assembler()
    for each in alone:
        told.apply(Patch(call=each, **more))
    report = canonical.model_copy(update={"calls": tuple(main), "unknown": ()})
    return with_alone(report, told, why)


def facts(report: Report) -> list[tuple[str, str]]:
    return [(fact.what, fact.reason) for fact in report.unknown]


def test_each_call_has_what_it_was_alone(canonical):
    alone = [call(0, ops=3, outcome="capture", frames=(RUN,)), call(1, ops=3), call(2, ops=2)]
    report = merged(canonical, [call(0, ops=3), call(1, ops=0), call(2, ops=5)], alone)
    assert [c.alone.lost for c in report.calls] == [0, 3, 0]  # more than alone is no loss
    first = report.calls[0].alone
    assert (first.outcome, first.ops_run, first.graph_runs) == ("capture", 3, 1)
    assert (first.frames, first.error) == ((RUN,), None)
    assert report.unknown == ()


def test_an_error_alone_is_told(canonical):
    error = CallError(type="ValueError", message="no")
    alone = [call(0, ops=0, outcome="error", error=error)]
    report = merged(canonical, [call(0, ops=1)], alone)
    assert report.calls[0].alone.error == "ValueError: no"


def test_a_call_that_ended_its_process_lost_nothing_known(canonical):
    crashed = CallError(type="SIGSEGV", message="crashed", kind="crashed")
    main = [call(0, ops=0, outcome="error", error=crashed)]
    report = merged(canonical, main, [call(0, ops=4)])
    assert report.calls[0].alone.lost == 0


def test_calls_not_told_are_unknown_with_the_reason(canonical):
    main = [call(index, ops=1) for index in range(4)]
    report = merged(canonical, main, main[:1], "call 1 crashed with SIGSEGV")
    assert facts(report) == [("calls 1 to 3 alone", "call 1 crashed with SIGSEGV")]
    report = merged(canonical, main, main[:3], "call 3 ran out of time after 5 s")
    assert facts(report) == [("call 3 alone", "call 3 ran out of time after 5 s")]


def test_a_side_that_never_was_is_unknown(canonical):
    report = canonical.model_copy(update={"calls": (call(0, ops=1),), "unknown": ()})
    report = with_alone(report, None, "its process could not be started: no memory")
    assert facts(report) == [("call 0 alone", "its process could not be started: no memory")]


def test_other_inputs_are_another_call(canonical):
    report = merged(canonical, [call(0, ops=1)], [call(0, ops=2, inputs=("f32[7]",))])
    assert report.calls[0].alone is None
    assert facts(report) == [("call 0 alone", "its inputs came out otherwise there: f32[7]")]


def test_what_was_unknown_alone_is_told_once(canonical):
    missing = Unknown(what="a tap", reason="not in this torch")
    other = Unknown(what="part of call 0", reason="a fault")
    told = Assembler()
    for index in range(2):
        told.apply(Patch(call=call(index, ops=1), unknown=(missing, other)))
    report = canonical.model_copy(
        update={"calls": (call(0, ops=1), call(1, ops=1)), "unknown": (missing,)}
    )
    assert facts(with_alone(report, told, None)) == [
        ("a tap", "not in this torch"),
        ("part of call 0, alone", "a fault"),
    ]
