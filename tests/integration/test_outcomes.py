"""Every outcome of a call is told apart, each on real torch."""

from __future__ import annotations

import contextlib
import random
import threading

import pytest
import torch

import dynprobe
from dynprobe import Call


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


def outcomes(report):
    return [call.outcome for call in report.calls]


def frames(call):
    return [(f.function, f.outcome) for f in call.frames]


def test_capture_hit_recompile_hit():
    def f(x):
        return torch.sin(x) + 1

    report = dynprobe.explain(f, [torch.ones(n) for n in (4, 4, 5, 6)])
    assert outcomes(report) == ["capture", "hit", "recompile", "hit"]
    assert [c.calls_captured for c in report.calls] == [2, 2, 4, 4]
    assert [c.unique_graphs for c in report.calls] == [1, 1, 2, 2]
    assert [c.ops_run for c in report.calls] == [2, 2, 2, 2]
    assert report.graph_breaks == ()
    (recompile,) = report.recompiles
    (row,) = recompile.against[0].failed
    assert (row.source, row.kind, row.expected, row.actual) == ("x.shape[0]", "size", "4", "5")
    assert row.code == "return torch.sin(x) + 1"
    assert recompile.dynamic_dims == ("x.shape[0]",)


def branch(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def test_other_side_of_a_branch_is_a_capture_and_no_recompile():
    up, down = torch.ones(3), -torch.ones(3)
    report = dynprobe.explain(branch, [up, up, down, down, up])
    assert outcomes(report) == ["capture", "hit", "capture", "hit", "hit"]
    assert report.recompiles == ()
    assert "other side of the branch" in report.calls[2].reason
    (site,) = report.graph_breaks
    assert (site.code, site.effect, site.at_capture, site.crossed) == (
        "if x.sum() > 0:", "split", 1, 5,
    )  # fmt: skip
    assert site.gb_id == "GB0170"
    assert [c.breaks_crossed for c in report.calls] == [1] * 5


def by_text(x, mode):
    return x.sin() if mode == "first" else x.cos() + len(mode)


def test_limit_reached_then_silent_fallback_then_an_old_entry():
    modes = ["first", *("m" * i for i in range(1, 11)), "first"]
    report = dynprobe.explain(by_text, [((torch.ones(2), m), {}) for m in modes])
    assert outcomes(report) == [
        "capture", *["recompile"] * 7, "fallback", "fallback", "fallback", "hit",
    ]  # fmt: skip
    assert [f.limit_reached for f in report.calls[8].frames] == [True]
    assert [f.limit_reached for f in report.calls[9].frames] == [False]
    assert [c.graph_runs for c in report.calls[8:]] == [0, 0, 0, 1]
    assert "limit" in report.calls[11].reason
    # A fallback in silence still has its reasons, against all eight entries.
    silent = [r for r in report.recompiles if r.call == 9]
    assert len(silent) == 1
    assert silent[0].fallback
    assert len(silent[0].against) == 8
    assert {row.source for a in silent[0].against for row in a.failed} == {"mode"}
    assert report.frames[0].state == "limit"


def test_a_recompile_limit_of_ones_own():
    calls = [((torch.ones(2), "m" * i), {}) for i in range(4)]
    report = dynprobe.explain(by_text, calls, recompile_limit=2)
    assert outcomes(report) == ["capture", "recompile", "fallback", "fallback"]
    assert report.settings.recompile_limit == 2


def in_loop(x):
    for _ in range(3):
        if x.sum() > 100:
            break
        x = x + 1
    return x


def in_try(x):
    try:
        if x.sum() > 0:
            return x + 1
    except ValueError:
        return x
    return x - 1


def generator(x):
    for i in range(2):
        yield x[i] * 2


def f_string(x):
    y = x + 1
    label = f"{x}"
    return y * len(label)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (in_loop, "Data-dependent branching"),
        (in_try, "Data-dependent branching"),
        (generator, "Attempt to trace generator"),
        (f_string, "Observed exception"),
    ],
)
def test_frame_given_up_and_then_skipped_in_silence(function, kind):
    report = dynprobe.explain(function, [torch.ones(3), torch.ones(3)])
    assert outcomes(report) == ["skip", "skip"]
    assert [c.ops_run for c in report.calls] == [0, 0]
    (site,) = report.graph_breaks
    assert (site.kind, site.effect, site.crossed) == (kind, "skip_frame", None)
    assert "given up" in report.calls[0].reason
    assert "in silence since call 0" in report.calls[1].reason
    assert report.frames[0].state == "skipped"
    assert report.counters.skips == 2


def test_the_rest_of_the_frame_eager():
    """A break that cannot be resumed from: captured up to there, the rest of the frame eager."""

    def f(x):
        y = x + 1
        z = y * 3
        try:
            torch._dynamo.graph_break()
            z = z * 2
        finally:
            z = z - 1
        return z

    report = dynprobe.explain(f, [torch.ones(3)] * 2)
    (site,) = report.graph_breaks
    assert site.effect == "rest_eager"
    assert site.crossed == 2
    assert outcomes(report) == ["capture", "hit"]
    assert [c.ops_run for c in report.calls] == [2, 2]


def no_tensor_work(x):
    return len(x.shape)


def test_function_without_tensor_operations():
    report = dynprobe.explain(no_tensor_work, [torch.ones(3), torch.ones(4)])
    assert outcomes(report) == ["skip", "skip"]
    assert report.calls[0].frames[0].benign
    assert "nothing to capture" in report.calls[0].reason
    assert report.graph_breaks == ()
    assert report.counters.skips == 1  # the second call may have lost something


def maybe(x):
    return None if x is None else x * 2


def test_switched_off_by_an_earlier_call():
    """After a call that reaches no operation, calls that were captured run eagerly for good."""
    x = torch.ones(3)
    report = dynprobe.explain(maybe, [x, None, x])
    assert outcomes(report) == ["capture", "skip", "skip"]
    assert [c.ops_run for c in report.calls] == [1, 0, 0]
    assert not report.calls[2].frames[0].benign
    assert "since call 1" in report.calls[2].reason


def raises(x):
    y = x + 1
    if y.shape[0] == 3:
        raise ValueError("three")
    return y


def _raw_captures(function, sizes):
    """torch's own counter after each call, without dynprobe."""
    torch._dynamo.reset()
    stats = torch._dynamo.utils.counters["stats"]
    start, counts = stats["calls_captured"], []
    compiled = torch.compile(function, backend="eager")
    for n in sizes:
        with contextlib.suppress(ValueError):
            compiled(torch.ones(n))
        counts.append(stats["calls_captured"] - start)
    return counts


def test_error_in_eager_too():
    report = dynprobe.explain(raises, [torch.ones(2), torch.ones(3), torch.ones(2)])
    # Dynamo gives up a frame in which it sees an exception that is not caught, for good.
    assert outcomes(report) == ["capture", "error", "skip"]
    assert _raw_captures(raises, (2, 3, 2)) == [1, 1, 1]
    error = report.calls[1].error
    assert (error.type, error.message, error.eager_raises) == ("ValueError", "three", True)
    assert error.where.text == 'raise ValueError("three")'
    assert error.eager_error == "ValueError: three"


def test_error_only_under_compile():
    report = dynprobe.explain(branch, [torch.ones(3)], fullgraph=True)
    assert outcomes(report) == ["error"]
    error = report.calls[0].error
    assert error.type.endswith("Unsupported")
    assert error.eager_raises is False
    assert error.where.text == "if x.sum() > 0:"


def test_sys_exit_in_a_call():
    def leaves(x):
        raise SystemExit(3)

    report = dynprobe.explain(leaves, [torch.ones(2), torch.ones(2)])
    assert [c.error.kind for c in report.calls] == ["exited", "exited"]


def deepest(x):
    print("here")
    return x + 1


def middle(x):
    return deepest(x) * 2


def outer(x):
    return middle(x.sin()).cos()


def test_break_reached_through_three_levels_is_one_place(capsys):
    report = dynprobe.explain(outer, [torch.ones(3)] * 3)
    capsys.readouterr()
    (site,) = report.graph_breaks
    assert site.code == 'print("here")'
    assert (site.at_capture, site.crossed) == (1, 3)
    assert set(site.frames) == {"outer", "middle", "deepest"}
    assert [line.function for line in site.stack] == ["outer", "middle", "deepest"]


def twice(x):
    return deepest(deepest(x))


def test_a_helper_that_breaks_twice_in_one_call(capsys):
    report = dynprobe.explain(twice, [torch.ones(3)] * 2)
    capsys.readouterr()
    assert sum(c.breaks_crossed for c in report.calls) == report.graph_breaks[0].crossed == 4


def helper_in_loop(x):
    for _ in range(2):
        if x.sum() > 100:
            break
        x = x + 1
    return x


def calls_helper(x):
    y = x * 2
    torch._dynamo.graph_break()
    y = helper_in_loop(y)
    return y.sin()


def test_a_helper_that_is_skipped_is_seen_on_every_call():
    """Dynamo tells of a skipped helper once; later it runs eagerly without a word."""
    report = dynprobe.explain(calls_helper, [torch.ones(3)] * 3)
    assert outcomes(report) == ["skip", "skip", "skip"]
    for call in report.calls:
        assert ("helper_in_loop", "skip") in frames(call)
    assert [c.ops_run for c in report.calls] == [2, 2, 2]


def half(x, mode):
    y = x + len(mode)
    torch._dynamo.graph_break()
    return y * 2


def test_half_compiled_after_the_limit():
    """The first half's frame is at its limit; what the second half runs is a fact."""
    calls = [((torch.ones(2), "m" * i), {}) for i in range(11)]
    report = dynprobe.explain(half, calls)
    assert outcomes(report)[8:] == ["fallback"] * 3
    assert all(c.ops_run == 2 for c in report.calls[:8])
    assert all(c.ops_run < 2 for c in report.calls[8:])


def test_dynamo_switched_off():
    with torch._dynamo.config.patch(disable=True):
        report = dynprobe.explain(branch, [torch.ones(3)])
    assert outcomes(report) == ["skip"]
    assert report.calls[0].ops_run == 0


def test_reset_in_the_middle():
    def resets(x):
        return x + 1

    calls = [
        Call((torch.ones(2),)),
        Call((torch.ones(2),), before=torch._dynamo.reset),
        Call((torch.ones(2),)),
    ]
    report = dynprobe.explain(resets, calls)
    assert outcomes(report) == ["capture", "capture", "hit"]


def random_branch(x):
    y = x.sin()
    return y if random.random() < 0.5 else y + 1


def test_a_value_kept_over_a_break_is_named():
    random.seed(0)
    report = dynprobe.explain(random_branch, [torch.ones(2)] * 3)
    sources = {r.source for rc in report.recompiles for a in rc.against for r in a.failed}
    assert any("kept over the break at line" in s for s in sources)
    assert not any("___stack" in s for s in sources)


def test_values_after_the_limit_are_those_the_call_began_with():
    history = []

    def appends(x):
        history.append(1)
        return x + len(history)

    report = dynprobe.explain(appends, [torch.ones(2)] * 11)
    assert outcomes(report)[8:] == ["fallback"] * 3
    rows = [
        {(row.expected, row.actual) for row in r.against[0].failed if row.kind == "length"}
        for r in report.recompiles
        if r.call >= 8
    ]
    assert rows == [{("7", str(n))} for n in (8, 9, 10)]


@pytest.mark.parametrize("other", [(1.0, 2.0, 3.0), {"a": 1.0}, 7, None, iter([1.0]), "text"])
def test_an_argument_of_another_type(other):
    """Guards of a list's items and length are not tried on what is no list."""

    def weigh(x, weights):
        if isinstance(weights, list):
            for w in weights:
                x = x * w
            return x
        return x + 1

    calls = [((torch.ones(2), [1.0, 2.0]), {}), ((torch.ones(2), other), {})]
    report = dynprobe.explain(weigh, calls)
    assert outcomes(report) == ["capture", "recompile"]
    (against,) = report.recompiles[0].against
    rows = {(r.source, r.kind, r.expected, r.actual) for r in against.failed}
    assert ("weights", "type", "list", type(other).__name__) in rows
    assert not any(source == "len(weights)" for source, *_ in rows)


def test_a_fault_of_ours_is_told_and_makes_no_number_wrong(monkeypatch):
    from dynprobe.observe.dynamo import book, misses, watch

    def broken(*_, **__):
        raise RuntimeError("[bold]ours[/bold]")

    monkeypatch.setattr(watch, "graph_of", broken)
    monkeypatch.setattr(misses, "guard_rows", broken)
    monkeypatch.setattr(book, "against_entry", broken)

    def f(x):
        return torch.sin(x) + 1

    report = dynprobe.explain(f, [torch.ones(n) for n in (4, 4, 5)])
    assert outcomes(report) == ["capture", "hit", "recompile"]
    assert [c.error for c in report.calls] == [None] * 3
    assert [(c.calls_captured, c.graph_runs, c.ops_run) for c in report.calls] == [
        (2, 1, 2), (2, 1, 2), (4, 1, 2),
    ]  # fmt: skip
    assert [u.what for u in report.unknown] == ["part of call 0"] * 2 + ["part of call 2"] * 3
    assert report.recompiles[0].against[0].note == "which guards failed could not be read"
    assert all("[bold]ours[/bold]" in u.reason for u in report.unknown)


def test_code_that_torchs_own_threads_call():
    """Hooks of autograd may run compiled code on a thread without any Python below it."""
    compiled = torch.compile(lambda g: g * 2, backend="eager")

    def f(x):
        w = torch.ones(3, requires_grad=True)
        y = w * x
        y.register_hook(compiled)
        y.sum().backward()
        return w.grad

    report = dynprobe.explain(f, [torch.ones(3)] * 2)
    assert [c.error for c in report.calls] == [None, None]
    assert report.unknown == ()
    assert report.calls[1].graph_runs >= 1


def test_compiled_code_on_another_thread():
    compiled = torch.compile(lambda x: x * 2, backend="eager")

    def f(x):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(compiled(x)))
        thread.start()
        thread.join()
        return seen[0] + 1

    report = dynprobe.explain(f, [torch.ones(3)] * 3)
    assert [c.error for c in report.calls] == [None] * 3
    assert report.unknown == ()
    # The thread's graph and the one of the function itself.
    assert [c.ops_run for c in report.calls] == [2, 2, 2]


def test_equal_code_objects_are_frames_of_their_own():
    """Two functions of the same text compare equal as code; Dynamo keeps them apart."""
    made = [{}, {}]
    for names in made:
        exec(compile("def f(x):\n    return x + 1\n", "<made>", "exec"), names)
    first, second = (names["f"] for names in made)
    assert first.__code__ == second.__code__

    def both(x):
        y = first(x)
        torch._dynamo.graph_break()
        return second(y)

    def calls(x):
        torch._dynamo.graph_break()
        return both(x)

    report = dynprobe.explain(calls, [torch.ones(2)] * 2)
    assert outcomes(report) == ["capture", "hit"]
    for function in (first, second):
        entries = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(function.__code__)
        assert entries == []
    compiled = [torch.compile(f, backend="eager") for f in (first, second)]
    for f in compiled:
        f(torch.ones(3))
    report = dynprobe.explain(second, [torch.ones(2)] * 2)
    assert outcomes(report) == ["capture", "hit"]


def test_a_fallback_because_of_the_grad_mode_alone():
    """The state of the process is guarded before all values, so no entry tells it was tried."""
    calls = [((torch.ones(2), "m" * i), {}) for i in range(1, 4)]
    calls += [Call((torch.ones(2), "m"), around=torch.no_grad), Call((torch.ones(2), "m"))]
    report = dynprobe.explain(by_text, calls, recompile_limit=2)
    assert outcomes(report) == ["capture", "recompile", "fallback", "fallback", "hit"]
    assert "grad mode: on → off" in report.calls[3].reason
    assert [f.function for f in report.calls[3].frames] == ["by_text"]
    (missed,) = [r for r in report.recompiles if r.call == 3]
    assert [row.source for a in missed.against for row in a.failed] == ["grad mode"] * 2
    assert all(a.torch_says.startswith("GLOBAL_STATE changed") for a in missed.against)


def test_stances():
    with torch.compiler.set_stance("fail_on_recompile"):
        report = dynprobe.explain(branch, [torch.ones(3)])
    assert outcomes(report) == ["error"]
    with torch.compiler.set_stance("force_eager"):
        report = dynprobe.explain(branch, [torch.ones(3)])
    assert outcomes(report) == ["skip"]
    assert report.calls[0].reason == "no frame of it reached Dynamo"
    assert report.calls[0].ops_run == 0


def test_a_fault_in_making_a_row_does_not_read_as_if_all_guards_held(monkeypatch):
    from dynprobe.observe.dynamo import tensor_match

    def broken(*_):
        raise ValueError("ours")

    monkeypatch.setattr(tensor_match, "differences", broken)
    report = dynprobe.explain(plus_one, [torch.ones(2), torch.ones(3)])
    assert outcomes(report) == ["capture", "recompile"]
    assert report.recompiles[0].against[0].note == "which guards failed could not be read"
    assert ["ours" in u.reason for u in report.unknown] == [True]


def plus_one(x):
    return x + 1


class Counted(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2


def test_a_resumed_method_has_its_full_name():
    report = dynprobe.explain(Counted(), [torch.ones(2)])
    assert [(f.function, f.is_resume) for f in report.frames] == [
        ("Counted.forward", False), ("Counted.forward", True),
    ]  # fmt: skip
