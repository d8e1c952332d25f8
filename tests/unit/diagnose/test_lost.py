"""Which earlier call and which frame made a call run eagerly."""

from __future__ import annotations

from dynprobe.diagnose.lost import losses
from dynprobe.diagnose.rules.alone import LOST
from dynprobe.render.base import View
from dynprobe.render.text.alone import alone as section
from dynprobe.report import Alone, Call, CallError, Entry, Frame, FrameRun, Report


def run(function="f", outcome="capture", line=1) -> FrameRun:
    return FrameRun(function=function, file="m.py", line=line, compile_id=None, outcome=outcome)


def call(index, *, ops, alone_ops, frames=(), alone_frames=None, error=None, said=None) -> Call:
    alone = Alone(
        outcome="capture",
        ops_run=alone_ops,
        graph_runs=1,
        lost=max(0, alone_ops - ops),
        frames=(run(),) if alone_frames is None else alone_frames,
        error=said,
    )
    return Call(
        index=index,
        label=None,
        inputs=(),
        outcome="error" if error else "skip",
        ops_captured=0,
        calls_captured=0,
        graphs_compiled=0,
        unique_graphs=0,
        graph_runs=0,
        ops_run=ops,
        breaks_crossed=0,
        frames=frames,
        alone=alone,
        error=error,
    )


def frame(key, state, since, *, function="f", entries=(), line=1) -> Frame:
    return Frame(
        key=key,
        function=function,
        file="m.py",
        line=line,
        state=state,
        since=since,
        skip_reason="given up at line 9" if state == "skipped" else None,
        entries=tuple(
            Entry(compile_id=f"{key}/{n}", call=made, guards=(), graph=None)
            for n, made in enumerate(entries)
        ),
    )


def report_of(canonical: Report, calls, frames) -> Report:
    return canonical.model_copy(update={"calls": tuple(calls), "frames": tuple(frames)})


def found(report: Report):
    return list(LOST.find(LOST, report))


def text(report: Report, **view) -> str:
    return "\n".join(line.plain for line in section(report, View(width=100, **view)))


def test_a_frame_that_an_earlier_call_switched_off(canonical):
    calls = [call(0, ops=0, alone_ops=0), *(call(i, ops=0, alone_ops=2) for i in (1, 2))]
    report = report_of(canonical, calls, [frame(0, "skipped", 0)])
    (finding,) = found(report)
    assert finding.message == (
        "calls 1, 2 ran 4 operations eagerly that run in graphs when each is made alone: "
        "call 0 switched f off for good (given up at line 9)"
    )
    assert (finding.function, finding.file, finding.line, finding.calls) == ("f", "m.py", 1, (1, 2))
    assert finding.advice.startswith("hold torch.compiler.set_stance('force_eager') around call 0")
    assert len(finding.advice.splitlines()) == 1  # no break that could be lifted out
    said = "f m.py:1 · call 0 switched it off for good (given up at line 9)"
    assert said in text(report)


def test_what_broke_can_be_lifted_out(canonical):
    site = canonical.graph_breaks[0].model_copy(update={"effect": "skip_frame", "frames": ("f",)})
    report = report_of(canonical, [call(1, ops=0, alone_ops=2)], [frame(0, "skipped", 0)])
    (finding,) = found(report.model_copy(update={"graph_breaks": (site,)}))
    stance, lift = finding.advice.splitlines()
    assert "force_eager" in stance
    assert lift.startswith("lift what made Dynamo give f up")


def test_a_frame_at_its_limit_names_the_calls_that_filled_it(canonical):
    calls = [call(i, ops=1 if i < 2 else 0, alone_ops=1) for i in range(4)]
    report = report_of(canonical, calls, [frame(0, "limit", 2, entries=(0, 1))])
    (finding,) = found(report)
    limit = report.settings.recompile_limit
    assert finding.calls == (2, 3)  # the one that met the limit paid too
    assert finding.message.endswith(
        f"the entries of calls 0, 1 are all that f may have (limit {limit})"
    )
    assert "--recompile-limit" in finding.advice
    assert "set_stance" not in finding.advice


def test_a_frame_that_runs_eagerly_alone_too_is_not_to_blame(canonical):
    """Only what runs in a graph alone was lost; only what did not run in one here."""
    mine = call(1, ops=1, alone_ops=3, frames=(run("h", "hit"),), alone_frames=(run(), run("h")))
    frames = [
        frame(0, "skipped", 0, function="g"),
        frame(1, "skipped", 0),
        frame(2, "limit", 0, function="h"),
    ]
    (loss,) = losses(report_of(canonical, [mine], frames))
    assert [each.function for each in loss.frames] == ["f"]
    assert (loss.lost, loss.alone, loss.by) == (2, 3, (0,))


def test_a_frame_switched_off_later_is_not_to_blame(canonical):
    report = report_of(canonical, [call(1, ops=0, alone_ops=1)], [frame(0, "skipped", 4)])
    (finding,) = found(report)
    assert finding.message.endswith("no frame tells which earlier call did it")
    assert finding.advice == ""
    assert "call 1 ran 1 operation eagerly that runs in graphs when it is made alone" in text(
        report
    )


def test_calls_with_other_frames_to_blame_are_other_losses(canonical):
    calls = [
        call(1, ops=0, alone_ops=1),
        call(2, ops=0, alone_ops=2, alone_frames=(run("g"),)),
        call(3, ops=0, alone_ops=1),
    ]
    frames = [frame(0, "skipped", 0), frame(1, "skipped", 1, function="g")]
    rows = [
        (loss.frames[0].function, loss.calls)
        for loss in losses(report_of(canonical, calls, frames))
    ]
    assert rows == [("f", (1, 3)), ("g", (2,))]


def test_errors_on_one_side_only(canonical):
    error = CallError(type="ValueError", message="no")
    calls = [
        call(0, ops=0, alone_ops=1, error=error),
        call(1, ops=1, alone_ops=0, said="RuntimeError: alone"),
    ]
    report = report_of(canonical, calls, [])
    assert found(report) == []
    assert text(report).splitlines() == [
        "  call 0 raises only after the calls before it: alone it does not",
        "  call 1 raises alone: RuntimeError: alone",
    ]


def test_nothing_lost(canonical):
    report = report_of(canonical, [call(0, ops=2, alone_ops=2)], [])
    assert found(report) == []
    assert text(report) == (
        "  no call runs fewer operations in graphs than it does alone, in a fresh Dynamo state"
    )
    row = "  call 0 alone  capture  2 operations in 1 graph run, 2 after the calls before it"
    assert text(report, verbose=True) == row


def test_not_asked_for(canonical):
    calls = tuple(call.model_copy(update={"alone": None}) for call in canonical.calls)
    report = canonical.model_copy(update={"calls": calls})
    assert section(report, View()) == []
    assert found(report) == []
