"""What the sections say, on small reports."""

from __future__ import annotations

from typing import Any

import pytest

from dynprobe.diagnose.verdict import judge
from dynprobe.render import View, renderer
from dynprobe.report import Call, Counters, End, Guard, Report


def simple(calls: list[dict[str, Any]], **more: Any) -> Report:
    """A report of hits on `f32[4]`, but for what `calls` and `more` say."""
    fields = {
        "label": None, "inputs": ("f32[4]",), "outcome": "hit", "ops_captured": 0,
        "calls_captured": 2, "graphs_compiled": 0, "unique_graphs": 1, "graph_runs": 1,
        "ops_run": 2, "breaks_crossed": 0,
    }  # fmt: skip
    made = [Call.model_validate({"index": i} | fields | call) for i, call in enumerate(calls)]
    report = {
        "target": {"spec": "m:f", "name": "f", "kind": "function", "file": "/w/m.py", "line": 3},
        "environment": {"dynprobe": "0.1.0", "python": "3.11.9", "platform": "linux x86_64",
                        "torch": "2.13.0", "jax": None},
        "settings": {"backend": "eager", "dynamic": "auto", "fullgraph": False, "grad": None,
                     "train": None, "mark_dynamic": (), "recompile_limit": 8, "timeout": 300.0,
                     "dtype": "f32", "device": "cpu", "seed": 0, "init": "randn", "repeat": 1,
                     "in_process": False},
        "cwd": "/w", "counters": Counters(), "calls": made, "recompiles": (),
        "graph_breaks": (), "frames": (), "end": End(complete=True, kind="done"),
    }  # fmt: skip
    return judge(Report.model_validate(report | more))


def lines(report: Report, **view: Any) -> list[str]:
    return renderer("text").render(report, View(**view)).splitlines()


def test_empty_sections_are_absent() -> None:
    shown = lines(simple([{}]))
    assert [line for line in shown if line and not line.startswith(" ")] == [
        "f  1 call: hit; no graph break",
        "m.py:3 · torch 2.13.0 · Python 3.11.9 · backend eager",
        "Calls",
    ]


def test_quiet_is_the_verdict_alone() -> None:
    assert lines(simple([{}, {}]), quiet=True) == ["f  2 calls: 2 hits; no graph break"]


def test_equal_calls_share_a_row() -> None:
    capture = {"outcome": "capture", "graphs_compiled": 1, "ops_captured": 2}
    shown = lines(simple([capture, *[{}] * 999]))
    rows = [line.split() for line in shown if "f32[4]" in line]
    assert rows == [
        ["0", "f32[4]", "capture", "1/2", "1/2", "2", "1"],
        ["1–999", "f32[4]", "hit", "–", "1/2", "2", "1"],
    ]


@pytest.mark.parametrize(("verbose", "rows"), [(False, 1), (True, 500)])
def test_many_different_hits_share_a_row_unless_verbose(verbose: bool, rows: int) -> None:
    shown = lines(simple([{"inputs": (f"f32[{n}]",)} for n in range(500)]), verbose=verbose)
    table = [line for line in shown if "f32[" in line]
    assert len(table) == rows
    if not verbose:
        assert "f32[0] … f32[499] (500 different)" in table[0]


def test_calls_that_ran_nothing_in_graphs_say_so() -> None:
    shown = lines(simple([{"outcome": "skip", "graph_runs": 0, "ops_run": 0}]))
    assert any(line.split() == ["0", "f32[4]", "skip", "–", "–", "2", "1"] for line in shown)


def many_guards(number: int) -> tuple[Guard, ...]:
    return tuple(
        Guard(source=f"self.layers[{n}].{name}", kind="value", condition=f"== {n}", origin="user")
        for n in range(number // 4)
        for name in ("a", "b", "c", "d")
    )


def test_two_thousand_guards_fit_a_screen() -> None:
    entry = {"compile_id": "0/0", "call": 0, "guards": many_guards(2000), "graph": None}
    frame = {"key": 0, "function": "f", "file": "/w/m.py", "line": 3, "state": "compiled",
             "entries": (entry,)}  # fmt: skip
    shown = lines(simple([{}], frames=(frame,)))
    assert len(shown) < 50
    assert any(line.split()[:2] == ["self.layers[*].a", "×500"] for line in shown)
    assert len(lines(simple([{}], frames=(frame,)), all_guards=True)) > 2000


def test_an_error_says_whether_eager_raises_too() -> None:
    def told(eager: bool | None) -> str:
        error = {"type": "ValueError", "message": "no", "eager_raises": eager}
        return "\n".join(lines(simple([{"outcome": "error", "error": error}])))

    assert "eager raises too" in told(True)
    assert "fails only when compiled" in told(False)
    assert "was not tried" in told(None)


def test_an_early_end_is_told_at_both_ends() -> None:
    end = End(complete=False, kind="timeout", message="call 1 ran out of time", during_call=1)
    shown = lines(simple([{}], end=end))
    assert "call 1 ran out of time" in shown[0]
    assert shown[-1].strip().startswith("call 1 ran out of time")
