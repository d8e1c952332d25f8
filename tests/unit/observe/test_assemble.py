"""Events → Report, without torch."""

from __future__ import annotations

import pytest

from dynprobe.observe.assemble import Assembler
from dynprobe.observe.process.channel import Reader, encode
from dynprobe.report import (
    Call,
    CallError,
    End,
    Entry,
    Environment,
    Frame,
    FrameRun,
    GraphBreak,
    Recompile,
    Settings,
    Target,
    Unknown,
)
from dynprobe.report.patch import Began, Failed, Finished, Loaded, NewEntry, Patch, Started

DONE = End(complete=True, kind="done")
SETTINGS = Settings(
    backend="eager",
    dynamic="auto",
    fullgraph=False,
    grad=None,
    train=None,
    mark_dynamic=(),
    recompile_limit=None,
    timeout=300,
    dtype="f32",
    device="cpu",
    seed=0,
    init="randn",
    repeat=1,
    in_process=False,
)
STARTED = Started(
    environment=Environment(dynprobe="0", python="3", platform="any", torch="2", jax=None),
    settings=SETTINGS,
    cwd="/home/me",
)
TARGET = Target(spec="m:f", name="f", kind="function", file="/home/me/m.py", line=3)
LOADED = Loaded(target=TARGET, calls=3, recompile_limit=8)


def call(index: int, captured: int = 0, graphs: int = 0, **fields) -> Call:
    known = {
        "label": None,
        "inputs": ("f32[4]",),
        "outcome": "hit",
        "ops_captured": 0,
        "graphs_compiled": 0,
        "graph_runs": 1,
        "ops_run": 2,
        "breaks_crossed": 0,
    }
    return Call(index=index, calls_captured=captured, unique_graphs=graphs, **(known | fields))


def frame(key: int, state: str = "compiled", **fields) -> Frame:
    return Frame(key=key, function="f", file="/home/me/m.py", line=3, state=state, **fields)


def run(outcome: str, **fields) -> FrameRun:
    return FrameRun(function="f", file="m.py", line=3, compile_id=None, outcome=outcome, **fields)


def entry(compile_id: str, at_call: int = 0) -> Entry:
    return Entry(compile_id=compile_id, call=at_call, guards=(), graph=None)


def site(index: int, at_capture: int = 1) -> GraphBreak:
    return GraphBreak(
        index=index,
        file="/home/me/m.py",
        line=10 + index,
        function="f",
        code="if x.sum() > 0:",
        kind="data-dependent branching",
        gb_id="GB0170",
        effect="split",
        at_capture=at_capture,
        crossed=1,
        explanation="",
        hints=(),
    )


def recompile(at_call: int, fallback: bool = False) -> Recompile:
    return Recompile(
        call=at_call, frame="f", file="m.py", line=3, compile_id=None, fallback=fallback
    )


def assembled(*events) -> Assembler:
    seen = Assembler()
    for event in (STARTED, LOADED, *events):
        seen.apply(event)
    return seen


def test_a_whole_observation() -> None:
    seen = assembled(
        Began(index=0, label=None, inputs=("f32[4]",)),
        Patch(call=call(0, 2, 1)),
        Finished(),
    )
    report = seen.report(DONE)
    assert seen.finished
    assert (report.target, report.environment, report.cwd) == (
        TARGET,
        STARTED.environment,
        "/home/me",
    )
    assert report.calls == (call(0, 2, 1),)
    assert report.end == DONE


def test_the_limit_in_force_is_that_of_the_loaded_process() -> None:
    assert assembled().report(DONE).settings == SETTINGS.model_copy(update={"recompile_limit": 8})
    unknown = Assembler()
    unknown.apply(STARTED)
    unknown.apply(LOADED.model_copy(update={"recompile_limit": None}))
    assert unknown.report(DONE).settings == SETTINGS


def test_counters_are_totals_of_the_last_call_and_sums_of_all() -> None:
    runs = (run("skip", benign=True), run("skip"), run("fallback", times=4))
    report = assembled(
        Patch(call=call(0, 2, 1, frames=(run("capture"),)), graph_breaks=(site(0), site(1))),
        Patch(call=call(1, 4, 2, graph_runs=3, ops_run=5), recompiles=(recompile(1),)),
        Patch(call=call(2, 4, 2, frames=runs), recompiles=(recompile(2, fallback=True),)),
    ).report(DONE)
    assert report.counters.model_dump() == {
        "calls_captured": 4,
        "unique_graphs": 2,
        "graph_runs": 5,
        "ops_run": 9,
        "graph_break_count": 2,
        "recompiles": 1,
        "fallbacks": 1,
        "skips": 1,
    }


def test_no_call_counts_nothing() -> None:
    counters = assembled().report(DONE).counters
    assert set(counters.model_dump().values()) == {0}


def test_a_frame_is_replaced_and_keeps_its_entries() -> None:
    report = assembled(
        Patch(
            call=call(0),
            frames=(frame(1), frame(0)),
            entries=(NewEntry(frame_key=0, entry=entry("0/0")),),
        ),
        Patch(
            call=call(1),
            frames=(frame(0, "limit"),),
            entries=(NewEntry(frame_key=0, entry=entry("0/1", 1)),),
        ),
    ).report(DONE)
    assert [f.key for f in report.frames] == [0, 1]
    assert report.frames[0].state == "limit"
    assert report.frames[0].entries == (entry("0/0"), entry("0/1", 1))
    assert report.frames[1].entries == ()


def test_an_entry_without_its_frame_is_told_as_unknown() -> None:
    lost = NewEntry(frame_key=7, entry=entry("7/0"))
    told = Unknown(what="size of x", reason="no symbol")
    report = assembled(Patch(call=call(0), entries=(lost,), unknown=(told,))).report(DONE)
    assert report.frames == ()
    assert report.unknown[0] == told
    assert report.unknown[1].what == "cache entry 7/0"


def test_a_graph_break_is_replaced_by_its_later_state() -> None:
    report = assembled(
        Patch(call=call(0), graph_breaks=(site(1), site(0))),
        Patch(call=call(1), graph_breaks=(site(0, at_capture=2),)),
    ).report(DONE)
    assert report.graph_breaks == (site(0, at_capture=2), site(1))


ERROR = CallError(type="SIGSEGV", message="crashed with SIGSEGV", kind="crashed")
CRASHED = End(complete=False, kind="crashed", message="call 1 crashed", during_call=1)


def test_the_call_under_way_has_a_row_when_it_is_cut_short() -> None:
    report = assembled(
        Patch(call=call(0, 2, 1)), Began(index=1, label="big", inputs=("f32[9]",))
    ).report(CRASHED, ERROR)
    row = report.calls[1]
    assert (row.index, row.label, row.inputs, row.outcome) == (1, "big", ("f32[9]",), "error")
    assert (row.calls_captured, row.unique_graphs, row.ops_run) == (2, 1, 0)
    assert (row.error, row.reason) == (ERROR, "crashed with SIGSEGV")
    assert report.counters.calls_captured == 2


def test_the_first_call_may_be_cut_short_too() -> None:
    report = assembled(Began(index=0, label=None, inputs=())).report(CRASHED, ERROR)
    assert [row.calls_captured for row in report.calls] == [0]


RAISED = CallError(type="ValueError", message="no")


def test_a_call_made_again_replaces_its_row() -> None:
    again = RAISED.model_copy(update={"eager_raises": True})
    seen = assembled(
        Patch(call=call(0, outcome="error", error=RAISED)),
        Patch(call=call(1, 2, 1)),
        Began(index=0, label=None, inputs=()),
    )
    assert seen.again
    seen.apply(Patch(call=call(0, outcome="error", error=again)))
    assert not seen.again
    report = seen.report(DONE)
    assert [row.error for row in report.calls] == [again, None]
    assert report.counters.calls_captured == 2


def test_a_call_that_ends_badly_when_made_again_keeps_its_row() -> None:
    raised = call(0, outcome="error", error=RAISED)
    seen = assembled(Patch(call=raised), Began(index=0, label=None, inputs=()))
    (row,) = seen.report(CRASHED, ERROR).calls
    assert row.error == RAISED.model_copy(update={"eager_error": "crashed with SIGSEGV"})


def test_between_calls_nothing_is_cut_short() -> None:
    report = assembled(Patch(call=call(0))).report(CRASHED, ERROR)
    assert report.calls == (call(0),)


@pytest.mark.parametrize("events", [(), (STARTED,)])
def test_there_is_no_report_before_the_target_is_loaded(events) -> None:
    seen = Assembler()
    for event in events:
        seen.apply(event)
    with pytest.raises(ValueError, match="before the target is loaded"):
        seen.report(DONE)


def test_events_cross_a_pipe_whole_and_in_order() -> None:
    patch = Patch(call=call(0, error=ERROR), graph_breaks=(site(0),))
    events = [STARTED, LOADED, patch, Failed(exit_code=2, message="no\nway"), Finished()]
    data = b"".join(encode(event) for event in events)
    for size in (1, 7, len(data)):
        reader = Reader()
        chunks = [data[at : at + size] for at in range(0, len(data), size)]
        assert [event for chunk in chunks for event in reader.feed(chunk)] == events


def test_a_line_that_was_cut_off_is_no_event() -> None:
    data = encode(STARTED) + encode(LOADED)[:-1]
    assert list(Reader().feed(data)) == [STARTED]


def test_a_file_name_that_is_no_utf8_crosses_as_its_escape() -> None:
    failed = Failed(exit_code=2, message="no file 'a\udcff\\x'")
    (event,) = Reader().feed(encode(failed))
    assert event.message == "no file 'a\\udcff\\x'"
