"""The verdict in one line, and its exit code."""

from __future__ import annotations

from typing import Any

import pytest

from dynprobe.diagnose.paths import place, short_path
from dynprobe.diagnose.verdict import judge
from dynprobe.report import Call, CallError, End, Entry, Frame, FrameRun, GraphBreak, Line, Report


@pytest.fixture(name="bare")
def _bare(canonical: Report) -> Report:
    """No break, no frame, complete."""
    nothing = {"graph_breaks": (), "frames": (), "recompiles": (), "calls": ()}
    return canonical.model_copy(update=nothing | {"end": End(complete=True, kind="done")})


def made(outcomes: list[str], **more: Any) -> tuple[Call, ...]:
    fields = {"label": None, "inputs": (), "ops_captured": 0, "calls_captured": 0,
              "graphs_compiled": 0, "unique_graphs": 0, "graph_runs": 0, "ops_run": 0,
              "breaks_crossed": 0}  # fmt: skip
    return tuple(
        Call.model_validate(fields | {"index": index, "outcome": outcome} | more)
        for index, outcome in enumerate(outcomes)
    )


def text(report: Report, **changed: Any) -> str:
    verdict = judge(report.model_copy(update=changed)).verdict
    assert verdict is not None
    return verdict.text


def code(report: Report, **changed: Any) -> int:
    verdict = judge(report.model_copy(update=changed)).verdict
    assert verdict is not None
    return verdict.exit_code


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ([], "no call was made"),
        (["capture"], "1 call: capture; no graph break"),
        (["capture", "hit", "recompile", "hit"],
         "4 calls: capture, hit, recompile, hit; no graph break"),
        (["capture", *["hit"] * 999], "1,000 calls: capture, 999 hits; no graph break"),
        (["capture", *["recompile", "hit"] * 5],
         "11 calls: 1 capture, 5 recompiles, 5 hits; no graph break"),
    ],
)  # fmt: skip
def test_calls(bare: Report, outcomes: list[str], said: str) -> None:
    assert text(bare, calls=made(outcomes)) == said


def site(index: int, line: int, near: Line | None = None) -> GraphBreak:
    return GraphBreak(
        index=index, file="/home/ada/nets/m.py", line=line, function="f", code=None, kind="k",
        gb_id=None, effect="split", at_capture=1, crossed=1, explanation="", hints=(), near=near,
    )  # fmt: skip


def test_breaks(bare: Report) -> None:
    calls = made(["capture"])
    one, two = site(0, 11), site(1, 12)
    assert text(bare, calls=calls, graph_breaks=(one,)).endswith("; 1 graph break at m.py:11")
    both = text(bare, calls=calls, graph_breaks=(one, two))
    assert both.endswith("; 2 graph breaks, the first at m.py:11")


def test_a_break_in_a_library_is_named_by_the_users_own_line(bare: Report) -> None:
    near = Line(file="/home/ada/nets/own.py", line=5)
    said = text(bare, calls=made(["capture"]), graph_breaks=(site(0, 11, near),))
    assert said.endswith("1 graph break at own.py:5")


def limited(outcomes: list[str], reached: int, ops_run: int) -> tuple[Call, ...]:
    run = FrameRun(function="f", file="/m.py", line=1, compile_id=None, outcome="fallback",
                   limit_reached=True)  # fmt: skip
    calls = made(outcomes, ops_run=ops_run)
    return tuple(c.model_copy(update={"frames": (run,)}) if c.index == reached else c
                 for c in calls)  # fmt: skip


@pytest.mark.parametrize(
    ("after", "ops_run", "said"),
    [
        (0, 0, "; recompile limit reached at call 1"),
        (1, 0, "; recompile limit reached at call 1, 1 later call ran eagerly in silence"),
        (3, 2, "; recompile limit reached at call 1, 3 later calls ran partly eagerly in silence"),
    ],
)
def test_limit(bare: Report, after: int, ops_run: int, said: str) -> None:
    calls = limited(["capture", *["fallback"] * (after + 1)], 1, ops_run)
    assert text(bare, calls=calls).endswith(said)


@pytest.mark.parametrize(
    ("benign", "said"),
    [(False, "; Dynamo gave up f"), (True, "; no tensor operation to compile")],
)
def test_given_up(bare: Report, benign: bool, said: str) -> None:
    frame = Frame(key=0, function="f", file="/m.py", line=1, state="skipped", benign=benign)
    assert text(bare, calls=made(["skip"]), frames=(frame,)).endswith(said)


def test_a_captured_frame_that_reaches_nothing_is_given_up(bare: Report) -> None:
    entry = Entry(compile_id="0/0", call=0, guards=(), graph=None)
    frame = Frame(
        key=0, function="f", file="/m.py", line=1, state="skipped", benign=True, since=1,
        entries=(entry,),
    )  # fmt: skip
    said = text(bare, calls=made(["capture", "skip"]), frames=(frame,))
    assert said.endswith("; Dynamo gave up f")


def test_what_later_calls_would_reach_is_not_known(bare: Report) -> None:
    frame = Frame(
        key=0, function="f", file="/m.py", line=1, state="skipped", benign=True, since=0
    )  # fmt: skip
    said = text(bare, calls=made(["skip", "skip"]), frames=(frame,))
    assert said.endswith("; call 0 reached no tensor operation, and Dynamo skips all later ones")


@pytest.mark.parametrize(
    ("eager", "said"),
    [(True, " in eager too"), (False, " only when compiled"), (None, "")],
)
def test_an_error(bare: Report, eager: bool | None, said: str) -> None:
    error = CallError(type="ValueError", message="no", eager_raises=eager)
    calls = made(["error"], error=error)
    assert (
        text(bare, calls=calls) == f"1 call: error; no graph break; call 0 raised ValueError{said}"
    )
    assert code(bare, calls=calls) == 3


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [("crashed", 3), ("timeout", 3), ("exited", 3), ("killed", 3), ("failed", 3),
     ("interrupted", 130)],
)  # fmt: skip
def test_an_early_end(bare: Report, kind: Any, exit_code: int) -> None:
    end = End(complete=False, kind=kind, message="call 1 was no more", during_call=1)
    assert code(bare, calls=made(["hit"]), end=end) == exit_code
    assert text(bare, calls=made(["hit"]), end=end).endswith("; call 1 was no more")


def test_all_well_is_0(bare: Report) -> None:
    assert code(bare, calls=made(["capture", "fallback", "skip"])) == 0


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("/w/pkg/m.py", "pkg/m.py"),
        ("/elsewhere/m.py", "/elsewhere/m.py"),
        ("/w/.venv/lib/python3.11/site-packages/torch/nn/x.py", "torch/nn/x.py"),
        ("/usr/lib/python3/dist-packages/numpy/x.py", "numpy/x.py"),
        ("/usr/lib/python3.11/contextlib.py", "python3.11/contextlib.py"),
        ("/wide/m.py", "/wide/m.py"),
        ("<string>", "<string>"),
    ],
)
def test_short_path(file: str, shown: str) -> None:
    assert short_path(file, "/w") == shown
    assert place(file, 3, "/w") == f"{shown}:3"
    assert place(file, None, "/w") == shown
