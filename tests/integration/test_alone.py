"""`--alone` on real torch: what each call would have been, had none come before.

`tests/cases/*/truth.json` holds what raw torch did with each call in a fresh Dynamo state.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from test_cases import CASES, NAMES, calls_of, load

from dynprobe import Report
from dynprobe.observe.alone import make_alone
from dynprobe.observe.assemble import Assembler
from dynprobe.observe.dynamo.session import DynamoSession
from dynprobe.observe.lost import with_alone
from dynprobe.observe.run import started, watch
from dynprobe.observe.target.load import describe
from dynprobe.observe.values.inputs import calls_from
from dynprobe.observe.values.make import MadeCall
from dynprobe.report import End
from dynprobe.spec.model import Options

# (outcome, operations run, graphs run) of calls that draw random numbers: the truth files drew them
# from one seed, dynprobe seeds before each call.
DIFFERS = {
    "layer_drop": [
        ("capture", *((1, 1) if random.Random(index).random() < 0.5 else (3, 2)))
        for index in range(6)
    ]
}


def side(make: Any, target: Any, calls: list[Any], options: Options) -> Assembler:
    seen = Assembler()
    seen.apply(started(options, in_process=False))
    made = [
        MadeCall(tuple(c.args), dict(c.kwargs), c.label, c.before, c.around)
        for c in calls_from(calls, "calls")
    ]
    make(describe(target), made, options, emit=seen.apply)
    return seen


def main_side(loaded: Any, made: Any, options: Options, *, emit: Any) -> None:
    watch(loaded, made, options, emit=emit, in_process=True, seeded=True)


def both(load_target: Any, options: Options) -> Report:
    """The two sides one after the other in this process, each with a target of its own."""
    torch._dynamo.reset()
    main = side(main_side, *load_target(), options)
    alone = side(make_alone, *load_target(), options)
    return with_alone(main.report(End(complete=True, kind="done")), alone, None)


@pytest.fixture(scope="module", params=NAMES)
def case(request: pytest.FixtureRequest) -> tuple[str, Report, dict]:
    def fresh():
        module = load(request.param)
        return eval(module.TARGET, vars(module)), calls_of(module)

    options = Options(**getattr(load(request.param), "COMPILE", {}), alone=True)
    truth = json.loads((CASES / request.param / "truth.json").read_text())
    return request.param, both(fresh, options), truth


def test_alone_as_measured(case):
    name, report, truth = case
    mine = [(as_truth(c.alone), c.alone.ops_run, c.alone.graph_runs) for c in report.calls]
    alone = [c["alone"] for c in truth["calls"]]
    true = [(a["outcome"], a["graph_ops_run"], a["graph_runs"]) for a in alone]
    assert mine == DIFFERS.get(name, true)


def as_truth(alone):
    """The truth files say `eager` where no graph ran."""
    return "eager" if alone.outcome in ("skip", "fallback") else alone.outcome


def test_lost_as_measured(case):
    _, report, truth = case
    assert [c.alone.lost for c in report.calls] == [
        c.get("lost_to_eager", 0) for c in truth["calls"]
    ]


def test_nothing_unknown(case):
    assert case[1].unknown == ()


def test_a_fresh_session_has_seen_no_size_change():
    """Sizes that Dynamo saw change make it capture a dynamic graph at once; torch's own look at
    the graph says whether it did."""
    kinds = []

    def sizes(x):
        return x * 2

    def make(options):
        loaded = describe(sizes)
        for index, n in enumerate((3, 4, 5)):
            with DynamoSession(loaded, options, fresh=True) as session:
                patch = session.call(index, MadeCall((torch.ones(n),), {}), ())
            (new,) = patch.entries
            kinds.append((patch.call.outcome, new.entry.compile_id, new.entry.graph.ops[0].aval))

    torch._dynamo.reset()
    make(Options())
    assert kinds == [("capture", "0/0", f"f32[{n}]") for n in (3, 4, 5)]
    assert not torch._dynamo.utils.counters


# By the command, in processes of their own


def explained(tmp_path: Path, target: str, inputs: str, *words: str) -> tuple[Report, str]:
    """The report, and what was written to stderr."""
    saved = tmp_path / "report.json"
    command = ["explain", target, "--inputs", inputs, "-o", str(saved), *words]
    done = subprocess.run(
        [sys.executable, "-m", "dynprobe", *command], capture_output=True, text=True, timeout=120
    )
    assert saved.exists(), done.stderr
    return Report.model_validate_json(saved.read_text()), done.stderr


def test_the_command_says_what_was_measured(tmp_path):
    file = CASES / "skip_sticks" / "case.py"
    report, err = explained(tmp_path, f"{file}:act", f"{file}:calls", "--alone")
    truth = json.loads((CASES / "skip_sticks" / "truth.json").read_text())
    assert report.settings.alone
    assert [call.alone.lost for call in report.calls] == [
        call.get("lost_to_eager", 0) for call in truth["calls"]
    ]
    assert report.unknown == ()
    printed = sum(call.get("stdout_lines", 0) for call in truth["calls"])
    assert len(err.splitlines()) == printed  # not a second time
    (found,) = [f for f in report.findings if f.rule == "lost-to-earlier-call"]
    assert (found.function, found.calls) == ("act", (1, 2))
    assert "calls 1, 2 ran 4 operations eagerly" in found.message
    assert "call 0 switched act off for good" in found.message


STICKY = '''
import contextlib, json, os, random
import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from dynprobe import Call

class Passes(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

def f(x):
    return None if x is None else torch.sin(x) + 1

def mode():
    x = torch.ones(3)
    return [Call((x,), around=Passes), Call((x,)), Call((x,))]

def nothing():
    return [torch.ones(3), None, torch.ones(3)]

@contextlib.contextmanager
def held(around=contextlib.nullcontext):
    with torch.compiler.set_stance("force_eager"), around():
        yield

def mode_held():
    return [Call(mode()[0].args, around=lambda: held(Passes)), *mode()[1:]]

def nothing_held():
    x, none, y = nothing()
    return [x, Call((none,), around=held), y]

drawn = 0

def note():
    """What each process drew before a call, and that it made the one before."""
    global drawn
    drawn += 1
    draws = [random.random(), float(np.random.rand()), float(torch.rand(()))]
    with open(f"{__file__}.{os.getpid()}", "a") as file:
        print(json.dumps([drawn, *draws]), file=file)

def draws():
    return [Call((torch.ones(2),), before=note) for _ in range(3)]

def die_in_a_fresh_state():
    if not torch._dynamo.utils.counters:
        os.abort()

def dies():
    x = torch.ones(3)
    return [Call((x,)), Call((x,), before=die_in_a_fresh_state), Call((x,))]
'''

RAW = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import sticky
ran = []
def backend(graph, inputs):
    ops = sum(node.op.startswith("call_") for node in graph.graph.nodes)
    return lambda *args: (ran.append(ops), graph.forward(*args))[1]
calls = getattr(sticky, sys.argv[2])()
compiled = torch.compile(sticky.f, backend=backend)
for call in [calls[int(index)] for index in sys.argv[3:]]:
    args, around = getattr(call, "args", (call,)), getattr(call, "around", None)
    ran.clear()
    if around:
        with around():
            compiled(*args)
    else:
        compiled(*args)
print(sum(ran))
"""


@pytest.fixture
def sticky(tmp_path: Path) -> str:
    path = tmp_path / "sticky.py"
    path.write_text(STICKY)
    return str(path)


def run_by_torch(folder: Path, calls: str, *indices: int) -> int:
    """How many operations the last of these calls runs in graphs, in a process of its own."""
    words = [sys.executable, "-c", RAW, str(folder), calls, *map(str, indices)]
    return int(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


# What makes Dynamo give `f` up though no line of it broke: the call, and the reason told.
STICKS = {
    "mode": ("call 0", "a torch dispatch mode"),
    "nothing": ("call 1", "no tensor"),
}


@pytest.mark.parametrize("calls", STICKS)
def test_what_sticks_does_not_stick_alone(calls, sticky, tmp_path):
    report, _ = explained(tmp_path, f"{sticky}:f", f"{sticky}:{calls}", "--alone")
    last = report.calls[2]
    assert last.ops_run == run_by_torch(tmp_path, calls, 0, 1, 2) == 0
    assert last.alone.ops_run == run_by_torch(tmp_path, calls, 2) == 2
    (found,) = [f for f in report.findings if f.rule == "lost-to-earlier-call"]
    who, why = STICKS[calls]
    assert f"{who} switched f off for good ({why}" in found.message
    assert found.advice.startswith("hold torch.compiler.set_stance('force_eager') around")
    assert run_by_torch(tmp_path, f"{calls}_held", 0, 1, 2) == 2  # so it is advised
    assert report.unknown == ()


def test_both_sides_make_each_call_once_and_draw_the_same_numbers(sticky, tmp_path):
    explained(tmp_path, f"{sticky}:f", f"{sticky}:draws", "--alone", "--seed", "-1")
    notes = [path.read_text() for path in tmp_path.glob("sticky.py.*")]
    assert len(notes) == 2
    assert notes[0] == notes[1]
    made, *drawn = zip(*map(json.loads, notes[0].splitlines()), strict=True)
    assert made == (1, 2, 3)
    assert len(set(drawn)) == 3


def test_what_alone_cannot_tell_is_unknown_and_the_report_is_whole(sticky, tmp_path):
    report, _ = explained(tmp_path, f"{sticky}:f", f"{sticky}:dies", "--alone")
    assert report.end.complete
    assert [call.outcome for call in report.calls] == ["capture", "hit", "hit"]
    assert [call.alone is None for call in report.calls] == [False, True, True]
    (fact,) = report.unknown
    assert fact.what == "calls 1 to 2 alone"
    assert fact.reason.startswith("call 1 crashed with SIGABRT at ")
    assert fact.reason.endswith("(die_in_a_fresh_state)")
