"""Graph breaks and frames given up, on real torch.

How often a place was crossed is told by what it prints, what is compiled by a backend of the test's
own and by torch's counters."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import threading
from pathlib import Path

import pytest
import torch
from torch._dynamo import convert_frame
from torch._dynamo.testing import CompileCounter
from torch.utils._python_dispatch import TorchDispatchMode

import dynprobe
from dynprobe.observe.dynamo.skips import plain_skip
from dynprobe.report import Report

CASES = Path(__file__).parents[1] / "cases"


def explain(target, *calls, **options):
    """The report, and what each call printed."""
    torch._dynamo.reset()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        report = dynprobe.explain(target, calls or [torch.ones(4)], **options)
    assert report.unknown == ()
    return report, printed.getvalue().splitlines()


def compiled_by_torch(target, *calls):
    """Operations that torch captures, and how many graphs, without dynprobe."""
    torch._dynamo.reset()
    counter = CompileCounter()
    with contextlib.redirect_stdout(io.StringIO()):
        for call in calls or [torch.ones(4)]:
            torch.compile(target, backend=counter)(call)
    return counter.op_count, counter.frame_count


def ops_of(report: Report, ids):
    """Names of the operations of entries."""
    return [
        op.name
        for frame in report.frames
        for entry in frame.entries
        if entry.compile_id in ids and entry.graph
        for op in entry.graph.ops
    ]


# What keeps Dynamo from going on


@contextlib.contextmanager
def managed():
    yield


class Held:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def in_for(x):
    for i in range(3):
        x = torch.sin(x)
        print("here", i)
    return x


def in_while(x):
    i = 0
    while i < 3:
        x = torch.sin(x)
        print("here")
        i += 1
    return x


def in_list(x):
    return sum([shown(x) for _ in range(2)])


def shown(x):
    print("here")
    return torch.sin(x)


def in_contextmanager(x):
    with managed():
        x = torch.sin(x)
        print("here")
    return x


def in_class_manager(x):
    with Held():
        x = torch.sin(x)
        print("here")
    return x


def in_lock(x):
    lock = threading.Lock()
    with lock:
        x = torch.sin(x)
        print("here")
    return x


def in_try(x):
    try:
        x = torch.sin(x)
        print("here")
    except ValueError:
        x = torch.cos(x)
    return x


def in_except(x):
    try:
        raise ValueError
    except ValueError:
        x = torch.sin(x)
        print("here")
    return x


def in_try_finally(x):
    try:
        x = torch.sin(x)
        print("here")
    finally:
        x = torch.cos(x)
    return x


def in_with_in_try(x):
    try:
        with torch.no_grad():
            x = torch.sin(x)
            print("here")
    except ValueError:
        x = torch.cos(x)
    return x


def generator(x):
    yield torch.sin(x)
    print("here")
    yield torch.cos(x)


def over_a_generator(x):
    for y in generator(x):
        x = x + y
    return x


def in_no_grad(x):
    with torch.no_grad():
        x = torch.sin(x)
        print("here")
        return torch.cos(x)


def in_finally(x):
    try:
        x = torch.sin(x)
    finally:
        print("here")
    return torch.cos(x)


def plain(x):
    x = torch.sin(x)
    print("here")
    return torch.cos(x)


def late_try(x):
    x = torch.sin(x)
    x = torch.cos(x)
    try:
        print("here")
        x = torch.sin(x)
    except ValueError:
        x = torch.cos(x)
    return torch.sin(x)


INSIDE = [
    (in_for, "loop", "skip_frame"),
    (in_while, "loop", "skip_frame"),
    (in_list, "loop", "skip_frame"),
    (in_contextmanager, "with", "skip_frame"),
    (in_class_manager, "with", "skip_frame"),
    (in_try, "try", "skip_frame"),
    (in_except, "try", "skip_frame"),
    (in_try_finally, "try", "skip_frame"),
    (in_with_in_try, "with", "skip_frame"),
    (generator, "generator", "skip_frame"),
    (over_a_generator, "generator", "skip_frame"),
    (late_try, "try", "rest_eager"),
    (in_no_grad, None, "split"),
    (in_finally, None, "split"),
    (plain, None, "split"),
]


@pytest.mark.parametrize(
    ("target", "inside", "effect"), INSIDE, ids=lambda v: getattr(v, "__name__", v)
)
def test_what_keeps_dynamo_from_going_on(target, inside, effect):
    report, _ = explain(target, torch.ones(4), torch.ones(4))
    site = next(site for site in report.graph_breaks if site.effect == effect)
    assert site.inside == inside
    given_up = [f for f in report.frames if f.state == "skipped" and not f.benign]
    assert bool(given_up) == (effect == "skip_frame")
    for frame in given_up:
        assert frame.skip_reason.startswith(f"given up at line {site.line}: {site.kind}")
        assert frame.since == 0
    ops, graphs = compiled_by_torch(target, torch.ones(4), torch.ones(4))
    assert (report.counters.calls_captured, report.counters.unique_graphs) == (ops, graphs)


def test_a_manager_dynamo_cannot_enter():
    """The break is at the `with` itself: nothing to do with what is inside."""
    report, _ = explain(in_lock)
    site = next(site for site in report.graph_breaks if site.effect == "skip_frame")
    assert (site.kind, site.code, site.inside) == (
        "Unsupported context manager",
        "with lock:",
        None,
    )


def looping(x):
    for _ in range(2):
        x = inner(x)
        print("here")
    return x


def inner(x):
    return torch.sin(x)


def test_functions_called_by_a_frame_given_up_are_compiled():
    report, _ = explain(looping)
    assert [op for f in report.frames if f.function == "inner" for op in f.entries]
    assert compiled_by_torch(looping) == (1, 1)
    assert report.calls[0].ops_run == 2


# Before and after


def branch(x):
    x = torch.sin(x)
    if x.sum() > 0:
        return torch.cos(x)
    return torch.tanh(x) + 1


def test_both_sides_of_a_branch():
    report, _ = explain(branch, torch.ones(4), -torch.ones(4), torch.ones(5))
    (site,) = report.graph_breaks
    assert ops_of(report, site.before)[:1] == ["sin"]
    assert {"cos", "tanh", "add"} == set(ops_of(report, site.after))
    assert "sin" not in ops_of(report, site.after)
    frames = [f for f in report.frames if {e.compile_id for e in f.entries} & set(site.after)]
    assert len(frames) == 2
    assert all(frame.is_resume for frame in frames)


def test_the_side_that_no_call_took_is_not_there():
    report, _ = explain(branch, torch.ones(4))
    assert ops_of(report, report.graph_breaks[0].after) == ["cos"]


def nothing_before(x):
    print("here")
    return torch.sin(x)


def nothing_after(x):
    x = torch.sin(x)
    print("here")
    return x


def closure(x):
    scale = 2

    def more(y):
        nonlocal scale
        scale += 1
        return torch.cos(y) * scale

    x = torch.sin(x)
    print("here")
    return more(x)


@pytest.mark.parametrize(
    ("target", "before", "after"),
    [
        (nothing_before, [], ["sin"]),
        (nothing_after, ["sin"], []),
        (closure, ["sin"], ["cos", "mul"]),
        (late_try, ["sin", "cos"], []),
    ],
)
def test_operations_before_and_after(target, before, after):
    report, _ = explain(target)
    (site,) = report.graph_breaks
    assert ops_of(report, site.before) == before
    assert ops_of(report, site.after) == after


def twice(x):
    x = torch.sin(x)
    print("one")
    x = torch.cos(x)
    print("two")
    return torch.tanh(x)


def test_two_breaks_after_one_another():
    report, _ = explain(twice)
    first, second = report.graph_breaks
    assert first.after == second.before
    assert [ops_of(report, s) for s in (first.before, first.after, second.after)] == [
        ["sin"],
        ["cos"],
        ["tanh"],
    ]


def test_entries_that_later_calls_add():
    report, _ = explain(plain, torch.ones(4), torch.ones(5), torch.ones(6))
    (site,) = report.graph_breaks
    assert len(site.before) == len(site.after) == 2  # the second is dynamic
    assert ops_of(report, site.before) == ["sin", "sin"]
    assert ops_of(report, site.after) == ["cos", "cos"]


def test_a_break_three_helpers_deep():
    """The case's truth was measured without dynprobe: four frames end, their four resume functions
    go on."""
    truth = json.loads((CASES / "deep_helper_break" / "truth.json").read_text())
    scope: dict[str, object] = {}
    path = CASES / "deep_helper_break" / "case.py"
    exec(compile(path.read_text(), str(path), "exec"), scope)
    report, _ = explain(scope["pipeline"], torch.ones(3), torch.ones(3), torch.ones(4))
    (site,) = report.graph_breaks
    met = [frame for call in truth["calls"] for frame in call["frames"]]
    resumed = [f["id"] for f in met if f["fn"].startswith("torch_dynamo_resume_in_")]
    assert sorted(site.before) == sorted(f["id"] for f in met if f["id"] not in resumed)
    assert sorted(site.after) == sorted(resumed)
    ops = {f["id"]: f["ops"] for f in met}
    assert len(ops_of(report, site.before)) == sum(ops[i] for i in site.before)
    assert len(ops_of(report, site.after)) == sum(ops[i] for i in site.after)


# How often


def recursive(x, depth=3):
    x = torch.sin(x)
    if depth:
        print("here")
        return recursive(x, depth - 1)
    return x


def in_helper_twice(x):
    return shown(x) + shown(x)


def deep(x):
    return torch.cos(middle(x))


def middle(x):
    return torch.tanh(shown(x))


def while_large(x):
    while x.sum() < 100:
        x = x * 2
    return x


def branch_then(x):
    if x.sum() > 0:
        print("here")
    return torch.sin(x)


CALLS = [torch.ones(4), torch.ones(4), torch.ones(5), torch.ones(4)]


@pytest.mark.parametrize(
    "target", [plain, twice, recursive, in_helper_twice, deep, closure, late_try]
)
def test_each_execution_is_crossed_once(target):
    """By call: as many crossings as it printed lines."""
    report, printed = explain(target, *CALLS)
    assert len(printed) % len(CALLS) == 0
    each = len(printed) // len(CALLS)
    by_call = dict.fromkeys(range(len(CALLS)), 0)
    for site in report.graph_breaks:
        assert sum(row.crossed for row in site.per_call) == site.crossed
        assert [row.call for row in site.per_call if row.at_capture] == list(site.calls)
        for row in site.per_call:
            by_call[row.call] += row.crossed
    assert set(by_call.values()) == {each}
    assert [call.breaks_crossed for call in report.calls] == [each] * len(CALLS)


def test_calls_that_cross_a_place_unequally():
    sizes = [1.0, 1.0, 30.0, 0.01]
    report, _ = explain(while_large, *[torch.full((4,), size) for size in sizes])
    (site,) = report.graph_breaks
    expected = [math.ceil(math.log2(100 / (4 * size))) + 1 if size < 25 else 1 for size in sizes]
    assert [row.crossed for row in site.per_call] == expected


def test_a_frame_given_up_is_not_counted():
    report, _ = explain(in_for, *CALLS)
    (site,) = report.graph_breaks
    assert site.crossed is None
    assert [(row.call, row.at_capture, row.crossed) for row in site.per_call] == [(0, 1, 0)]


# Places


def sets_environment(x):
    x = torch.sin(x)
    json.dumps({"a": 1})
    return torch.cos(x)


def dumps_twice(x):
    x = torch.sin(x)
    json.dumps({"a": 1})
    x = torch.cos(x)
    json.dumps({"b": 2})
    return torch.tanh(x)


def test_a_break_in_a_library_has_the_users_line():
    report, _ = explain(sets_environment)
    (site,) = report.graph_breaks
    assert site.file != __file__
    assert (site.near.file, site.near.text) == (__file__, 'json.dumps({"a": 1})')
    assert site.context[2].text == '    json.dumps({"a": 1})'


def test_one_line_of_a_library_reached_from_two_of_the_users_is_two_places():
    report, _ = explain(dumps_twice, *CALLS)
    assert [site.near.text for site in report.graph_breaks] == [
        'json.dumps({"a": 1})',
        'json.dumps({"b": 2})',
    ]
    assert {site.line for site in report.graph_breaks} == {report.graph_breaks[0].line}
    assert [site.crossed for site in report.graph_breaks] == [4, 4]


def test_a_generator_without_a_tensor_is_nothing_lost():
    report, _ = explain(in_contextmanager)
    assert [site.function for site in report.graph_breaks] == ["in_contextmanager"]
    (frame,) = [frame for frame in report.frames if frame.function == "managed"]
    assert frame.benign


# Kinds: each with the link that torch itself gives


def item(x):
    return torch.sin(x) * x.sum().item()


def to_list(x):
    return torch.sin(x) * x.tolist()[0]


def nonzero(x):
    return torch.sin(x).nonzero() + 1


def user_break(x):
    x = torch.sin(x)
    torch._dynamo.graph_break()
    return x + 1


@torch.compiler.disable
def off(x):
    return x + 1


def calls_disabled(x):
    return off(torch.sin(x)) + 1


def backward(x):
    y = (x * 2).detach().requires_grad_()
    (y * y).sum().backward()
    return y.grad + 1


def makes_class(x):
    class Made:
        size = 1

    return torch.sin(x) * Made.size


def step(x):
    x = torch.sin(torch.sin(x))
    torch._dynamo.step_unsupported()
    return x + 1


def skips(x):
    x = torch.sin(x)
    torch._dynamo.skip_frame("so")
    return x + 1


def raises(x):
    x = torch.sin(x)
    if x.shape[0] == 4:
        raise ValueError("no")
    return x


def generator_alone(x):
    """Inlined by no other test: torch marks what it inlined, and no reset clears that."""
    yield torch.sin(x)


def range_of(x):
    y = torch.sin(x)
    for _ in range(int(x.sum().item())):
        y = y + 1
    return y


KINDS = [
    (plain, {}), (branch, {}), (item, {}), (to_list, {}), (nonzero, {}), (user_break, {}),
    (calls_disabled, {}), (backward, {}), (makes_class, {}), (step, {}), (skips, {}),
    (generator_alone, {}), (in_lock, {}), (raises, {}), (sets_environment, {}), (in_for, {}),
    (range_of, {"capture_scalar_outputs": True}), (branch, {"capture_scalar_outputs": True}),
]  # fmt: skip


@pytest.mark.parametrize(("target", "config"), KINDS)
def test_kind_id_explanation_and_hints(target, config):
    """Against torch's own counters, which hold the whole text of each break."""
    with torch._dynamo.config.patch(**config):
        report, _ = explain(target)
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        with contextlib.suppress(ValueError), contextlib.redirect_stdout(io.StringIO()):
            torch.compile(target, backend="eager")(torch.ones(4))
    counters = torch._dynamo.utils.counters
    texts = [*counters["graph_break"], *counters["unimplemented"]]
    assert report.graph_breaks
    for site in report.graph_breaks:
        assert site.kind.strip()
        assert site.explanation.strip()
        link = torch._dynamo.exc.get_gbid_documentation_link(site.kind)
        assert site.gb_id == (link and "GB" + link.rpartition("gb")[2].removesuffix(".html"))
        if link is None:
            continue
        assert site.url == link
        text = " ".join(next(t for t in texts if t.startswith(site.kind)).split())
        said = site.explanation.partition("\n\n")[0]
        assert said in text
        assert all(f"Hint: {' '.join(hint.split())}" in text for hint in site.hints)
        assert len(site.hints) == text.partition("***")[0].count("Hint: ")


# Frames given up without a break


def skip_reasons():
    """Every reason that this torch's source has, as its literal begins."""
    tree = ast.parse(Path(convert_frame.__file__).read_text())
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.keyword):
            name = node.arg
        elif isinstance(node, ast.Assign):
            name = getattr(node.targets[0], "id", None)
        if name == "skip_reason" and isinstance(value := node.value, ast.Constant) and value.value:
            yield value.value


def test_every_reason_of_torchs_has_plain_words():
    reasons = list(skip_reasons())
    assert len(reasons) > 10
    assert [reason for reason in reasons if plain_skip(reason).reason == reason] == []


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def no_ops(x):
    return 3


@pytest.mark.parametrize(
    ("target", "call", "said"),
    [
        (inner, dynprobe.Call((torch.ones(4),), around=Mode), "a torch dispatch mode was active"),
        (no_ops, torch.ones(4), "no tensor operation in the frame"),
    ],
)
def test_why_a_frame_was_given_up(target, call, said):
    report, _ = explain(target, call)
    (frame,) = report.frames
    assert frame.state == "skipped"
    assert frame.since == 0
    assert frame.skip_reason.startswith(said)
    assert report.calls[0].graph_runs == 0


@torch.compiler.disable(recursive=False)
def off_alone(x):
    return inner(x) + 1


def calls_off_alone(x):
    return off_alone(torch.sin(x)) * 2


def test_what_dynamo_looks_for_on_the_stack_is_where_it_looks():
    """It tells a function that is disabled, but not what it calls, by the frame below its own."""
    report, _ = explain(calls_off_alone)
    counters = report.counters
    assert (counters.calls_captured, counters.unique_graphs) == compiled_by_torch(calls_off_alone)
    assert [frame.function for frame in report.frames if frame.function == "off_alone"] == []


def test_a_frame_without_a_tensor():
    report, _ = explain(in_class_manager)
    frames = {frame.function: frame for frame in report.frames}
    assert frames["Held.__enter__"].skip_reason == "no tensor in the frame: nothing to capture"
    assert frames["Held.__enter__"].benign


def test_a_suppressed_error_of_the_backend():
    def broken(module, inputs):
        raise RuntimeError("the backend cannot")

    torch._dynamo.reset()
    with torch._dynamo.config.patch(suppress_errors=True):
        compiled = torch.compile(inner, backend=broken)
        report = dynprobe.explain(compiled, [torch.ones(4)])
    (site,) = report.graph_breaks
    assert site.effect == "skip_frame"
    assert "the backend cannot" in site.kind + site.explanation
    assert report.frames[0].state == "skipped"
