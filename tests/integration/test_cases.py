"""Real people's reports: what dynprobe says of each beside what was measured without it.

`tests/cases/*/truth.json` holds true values from raw torch, each taken in processes of its own.
Where a truth file counts otherwise than dynprobe does by its own definitions, `DIFFERS` says so.
"""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

import dynprobe
from dynprobe import Call, Report

CASES = Path(__file__).parents[1] / "cases"
NAMES = sorted(p.name for p in CASES.iterdir() if p.is_dir() and not p.name.startswith("jax_"))

# A place of a break, (kind, line): dynprobe's own and the truth file's.
DIFFERS = {
    # torch emits no break event for a generator; by our definition a frame given up is a place.
    "yield_windows": ({("Attempt to trace generator", 5)}, set()),
    # The break lies in torch's file; the truth file leaves the line out.
    "disabled_hook": (
        {("Skip calling `torch.compiler.disable()`d function", None)},
        {("Skip calling `torch.compiler.disable()`d function", None)},
    ),
}


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("case", CASES / name / "case.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["case"] = module
    spec.loader.exec_module(module)
    return module


def calls_of(case: ModuleType) -> list[Call]:
    before, around = getattr(case, "before", None), getattr(case, "around", None)
    return [
        Call(
            args,
            kwargs,
            before=(lambda i=i: before(i)) if before else None,
            around=(lambda i=i: around(i)) if around else None,
        )
        for i, (args, kwargs) in enumerate(case.calls())
    ]


@pytest.fixture(scope="module", params=NAMES)
def observed(request: pytest.FixtureRequest) -> tuple[str, Report, dict]:
    name = request.param
    torch._dynamo.reset()  # the truth was measured in fresh processes: numbers of frames from 0
    random.seed(0)
    torch.manual_seed(0)
    case = load(name)
    target = eval(case.TARGET, vars(case))
    report = dynprobe.explain(target, calls_of(case), **getattr(case, "COMPILE", {}))
    truth = json.loads((CASES / name / "truth.json").read_text())
    return name, report, truth


def test_outcomes(observed):
    _, report, truth = observed
    mine = [_as_truth(call) for call in report.calls]
    assert mine == [call["outcome"] for call in truth["calls"]]


def _as_truth(call):
    """The truth files say `eager` where no graph ran, `eager+limit` where the limit was hit."""
    if call.outcome != "error" and call.graph_runs == 0:
        return "eager+limit" if any(f.limit_reached for f in call.frames) else "eager"
    return call.outcome


def test_what_ran(observed):
    _, report, truth = observed
    mine = [(c.graphs_compiled, c.graph_runs, c.ops_run) for c in report.calls]
    true = [(c["graphs_compiled"], c["graph_runs"], c["graph_ops_run"]) for c in truth["calls"]]
    assert mine == true


def test_counters(observed):
    _, report, truth = observed
    totals = truth["totals"]
    counters = report.counters
    assert counters.calls_captured == totals["calls_captured"]
    assert counters.unique_graphs == totals["unique_graphs"]
    # The truth files count the attempt that hits the limit as a recompile.
    limit = sum(f.limit_reached for c in report.calls for f in c.frames)
    assert counters.recompiles + limit == totals["recompiles"]
    assert limit == totals["limit_hits"]


def test_break_places(observed):
    name, report, truth = observed
    mine = {(b.kind, (b.near or b).line) for b in report.graph_breaks}
    true = {(b["type"], b["line"]) for b in truth["totals"]["break_sites"]}
    if name in DIFFERS:
        ours, theirs = DIFFERS[name]
        assert {kind for kind, _ in mine} == {kind for kind, _ in ours}
        assert true == theirs
    else:
        assert mine == true
    assert report.counters.graph_break_count == len(report.graph_breaks)


def test_break_ids_and_effects(observed):
    _, report, truth = observed
    for index, call in enumerate(truth["calls"]):
        for event in call.get("breaks", []):
            places = [b for b in report.graph_breaks if b.kind == event["type"]]
            assert places, f"call {index}: {event['type']} is missing"
            assert event["gb"] in {str(b.gb_id).lower() for b in places}
            assert event["effect"] in {b.effect for b in places}


def test_recompile_reasons(observed):
    """For each recompile, each entry it was against: the guard's user line is among our rows."""
    _, report, truth = observed
    checked = 0
    for index, call in enumerate(truth["calls"]):
        for wanted in call.get("recompile_reasons", []):
            mine = _recompile(report, index, wanted["frame"])
            against = {a.compile_id: a for a in mine.against}
            for reason in wanted["reasons"]:
                checked += 1
                rows = against[reason["entry"]].failed
                assert rows, f"call {index}: nothing failed against {reason['entry']}"
                lines = {r.line for r in rows} | {r.near.line for r in rows if r.near}
                assert reason.get("user_line") in lines | {None}
    assert checked or not truth["totals"]["recompiles"]


def _recompile(report, call, compile_id):
    """The recompile under this id; an attempt that the limit forbade has no id."""
    found = [r for r in report.recompiles if r.call == call]
    exact = [r for r in found if r.compile_id == compile_id]
    return (exact or [r for r in found if r.fallback])[0]


def test_first_failing_guard_is_the_one_torch_names(observed):
    _, report, _ = observed
    for recompile in report.recompiles:
        for against in recompile.against:
            assert against.torch_says
            assert [r for r in against.failed if r.first] == list(against.failed[:1])


def test_nothing_unknown(observed):
    assert observed[1].unknown == ()


def test_errors_raise_in_eager_as_measured(observed):
    _, report, truth = observed
    for call, true in zip(report.calls, truth["calls"], strict=True):
        assert (call.error is not None) == (true["outcome"] == "error")


@pytest.mark.parametrize("name", ["deep_helper_break", "history_list", "skip_sticks"])
def test_the_command_says_the_same(name, tmp_path):
    """In a process of its own: the truth files' outcomes, and what the library said."""
    saved = tmp_path / "report.json"
    case = load(name)
    file = CASES / name / "case.py"
    words = ["explain", f"{file}:{case.TARGET}", "--inputs", f"{file}:calls", "-o", str(saved)]
    subprocess.run(
        [sys.executable, "-m", "dynprobe", *words], check=True, capture_output=True, timeout=120
    )
    report = Report.model_validate_json(saved.read_text())
    truth = json.loads((CASES / name / "truth.json").read_text())
    assert [_as_truth(call) for call in report.calls] == [c["outcome"] for c in truth["calls"]]
    torch._dynamo.reset()
    here = dynprobe.explain(eval(case.TARGET, vars(case)), calls_of(case))
    assert report.counters == here.counters
    assert [c.frames for c in report.calls] == [c.frames for c in here.calls]
    assert report.recompiles == here.recompiles
