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


def missed(call: int, torch_says: str = "len(G['h']) == 1 # h.append(x) # m.py:4 in f") -> Any:
    failed = [{"source": "global h", "kind": "length", "expected": str(n), "actual": str(call)}
              for n in range(call)]  # fmt: skip
    against = [{"compile_id": f"0/{n}", "torch_says": torch_says, "failed": [failed[n]]}
               for n in reversed(range(call))]  # fmt: skip
    return {"call": call, "frame": "f", "file": "/w/m.py", "line": 3, "compile_id": f"0/{call}",
            "against": against}  # fmt: skip


def test_a_hundred_recompiles_of_one_cause_are_told_once_and_counted() -> None:
    report = simple([{}], recompiles=[missed(call) for call in range(1, 101)])
    shown = lines(report, width=80)
    assert len(shown) < 30
    assert "  calls 3–100 · f m.py:3 · a new entry each: global h (-v shows all)" in shown
    assert len(lines(report, verbose=True)) > 5000


def test_entries_that_failed_alike_share_a_line() -> None:
    report = simple([{}], recompiles=[missed(20)])
    said = " ".join(" ".join(lines(report)).split())
    assert "against 0/0–0/18 global h: 18, 17, …, 0 → 20" in said


@pytest.mark.parametrize(("verbose", "shown"), [(False, False), (True, True)])
def test_the_place_in_torchs_words_is_said_once(verbose: bool, shown: bool) -> None:
    said = "\n".join(lines(simple([{}], recompiles=[missed(1)]), verbose=verbose))
    assert "against 0/0  len(G['h']) == 1" in said
    assert ("# m.py:4 in f" in said) is shown


def test_three_hundred_breaks_are_all_named_and_advice_is_given_once() -> None:
    sites = [
        {"index": n, "file": "/w/m.py", "line": n + 1, "function": "f", "code": f"g({n})",
         "kind": "k", "gb_id": "GB1", "effect": "split", "at_capture": 1, "crossed": 1,
         "explanation": "why so", "hints": ("do this",)}
        for n in range(300)
    ]  # fmt: skip
    shown = "\n".join(lines(simple([{}], graph_breaks=sites)))
    assert all(f"m.py:{n + 1} in f  g({n})" in shown for n in range(25))
    assert "m.py:26–300 in f  k (GB1) ×275" in shown
    assert shown.count("do this") == 1
    assert "what to do  as at m.py:1" in shown
    assert shown.count("\n") < 80


def test_hundreds_of_frames_that_recompile_for_one_change_fit_a_screen_or_two() -> None:
    every = [missed(1) | {"frame": f"part{n}", "line": n} for n in range(300)]
    shown = lines(simple([{}], recompiles=every))
    assert len(shown) < 60
    assert "  call 1 · part8 m.py:8 · a new entry: global h (-v shows all)" in shown
    assert "  and 286 more recompiles of 286 frames (-v shows all)" in shown


def test_findings_of_one_rule_do_not_hide_those_of_another() -> None:
    sites = [
        {"index": n, "file": "/w/m.py", "line": n + 1, "function": "f", "code": "g()",
         "kind": "k", "gb_id": "GB1", "effect": "split", "at_capture": 1, "crossed": 1,
         "explanation": "why so", "hints": ()}
        for n in range(20)
    ]  # fmt: skip
    said = "\n".join(lines(simple([{}], graph_breaks=sites, recompiles=[missed(1)])))
    assert "list-length" in said
    assert "and 17 more: graph-break ×17 (-v shows all)" in said


def test_what_is_not_known_of_many_calls_for_one_reason_is_told_once() -> None:
    facts = [{"what": f"part of call {n}", "reason": "torch moved it"} for n in range(200)]
    facts.append({"what": "part of call 7", "reason": "another"})
    shown = lines(simple([{}], unknown=facts))
    assert shown[-2:] == ["  part of calls 0–199: torch moved it", "  part of call 7: another"]


def test_sixty_recompiles_for_a_value_that_grows_share_a_row() -> None:
    def call(n: int) -> dict[str, Any]:
        return {"index": n, "outcome": "recompile", "calls_captured": n + 1,
                "unique_graphs": n + 1, "graphs_compiled": 1, "ops_captured": 1}  # fmt: skip

    calls = [call(n) for n in range(60)]
    report = simple(calls, recompiles=[missed(n) for n in range(1, 60)])
    said = "\n".join(lines(report, width=120))
    assert "1–59" in said
    assert "global h: 0 → 1 and the like" in said
    assert "the totals after the last" in " ".join(said.split())
    assert "  59  f32[4]  recompile" in "\n".join(lines(report, width=120, verbose=True))


def test_a_call_of_sys_exit_is_told_as_an_exception() -> None:
    error = {"type": "SystemExit", "message": "3", "kind": "exited", "eager_raises": True}
    shown = lines(simple([{"outcome": "error", "error": error}]))
    assert shown[0] == "f  1 call: error; no graph break; call 0 raised SystemExit in eager too"
    assert sum("SystemExit: 3" in line for line in shown) == 2  # the row, and Errors


def test_an_exit_that_ended_the_process_is_told_by_the_end_alone() -> None:
    error = {"type": "exit code 7", "message": "call 0 ended the process", "kind": "exited"}
    end = End(complete=False, kind="exited", message="call 0 ended the process", during_call=0)
    shown = lines(simple([{"outcome": "error", "error": error}], end=end))
    assert "Errors" not in shown
    assert "raised" not in shown[0]


def test_an_entry_apart_in_the_state_of_the_process_says_in_what() -> None:
    guard = {"source": "x", "kind": "tensor", "condition": "f32[4]", "origin": "user", "text": ""}
    entries = [
        {"compile_id": f"0/{n}", "call": n, "graph": None, "guards": [guard]} for n in range(2)
    ]
    frame = {"key": 0, "function": "f", "file": "/w/m.py", "line": 3, "is_resume": False,
             "state": "compiled", "entries": entries}  # fmt: skip
    failed = [{"source": "grad mode", "kind": "grad_mode", "expected": "on", "actual": "off"}]
    against = [{"compile_id": "0/0", "torch_says": "GLOBAL_STATE", "failed": failed}]
    report = simple([{}], frames=[frame], recompiles=[missed(1) | {"against": against}])
    assert "    1 guard as in 0/0, apart in grad mode: on → off" in lines(report)


def test_a_relation_of_sizes_is_not_told_twice() -> None:
    guard = {"source": "x.shape[0], y.shape[0]", "kind": "symbolic", "origin": "user", "text": "",
             "condition": "x.shape[0] == y.shape[0]"}  # fmt: skip
    entry = {"compile_id": "0/0", "call": 0, "graph": None, "guards": [guard]}
    frame = {"key": 0, "function": "f", "file": "/w/m.py", "line": 3, "is_resume": False,
             "state": "compiled", "entries": [entry]}  # fmt: skip
    said = "\n".join(lines(simple([{}], frames=[frame])))
    assert said.count("x.shape[0] == y.shape[0]") == 1
    assert "x.shape[0], y.shape[0]" not in said


def test_inputs_below_a_row_are_told_where_they_change() -> None:
    long = ("Layer", "f32[2,4]", "{0: f32[4], 1: f32[4], 2: f32[4], … 12 items}")
    calls: list[dict[str, Any]] = [{"inputs": long, "calls_captured": n} for n in (2, 4, 6)] + [
        {"inputs": ("f32[4]",), "calls_captured": 8}
    ]
    shown = lines(simple(calls), width=90)
    assert sum("12 items}" in line for line in shown) == 1
    assert sum(line.strip() == "f32[4]" for line in shown) == 1
