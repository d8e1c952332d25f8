"""Each rule: a function that has the finding; and the same after its advice, without it."""

from __future__ import annotations

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import dynprobe


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


def rules(report):
    return [finding.rule for finding in report.findings]


def by_mode(x, mode):
    return x + len(mode)


def test_recompile_limit():
    calls = [((torch.ones(2), "m" * i), {}) for i in range(11)]
    report = dynprobe.explain(by_mode, calls)
    assert "recompile-limit" in rules(report)
    assert "calls 8, 9, 10" in report.findings[0].message
    mended = dynprobe.explain(by_mode, calls, recompile_limit=16)
    assert "recompile-limit" not in rules(mended)
    assert mended.counters.fallbacks == 0


def maybe(x):
    return None if x is None else x * 2


def test_switched_off():
    x = torch.ones(3)
    report = dynprobe.explain(maybe, [x, None, x])
    assert rules(report) == ["switched-off"]
    assert report.calls[2].ops_run == 0
    mended = dynprobe.explain(maybe, [x, x])
    assert rules(mended) == []
    assert mended.calls[1].ops_run == 1


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_switched_off_by_a_dispatch_mode():
    x = torch.ones(3)
    report = dynprobe.explain(sizes, [x, dynprobe.Call((x,), around=Mode), x])
    assert rules(report) == ["switched-off"]
    assert "dispatch mode" in report.findings[0].message
    assert [c.ops_run for c in report.calls] == [2, 0, 0]
    assert rules(dynprobe.explain(sizes, [x, x])) == []


def relax(x):
    for _ in range(3):
        if (x.abs() < 0.1).all():
            break
        x = x * 0.5
    return x.sin().cos()


def compiled_part(x):
    return x.sin().cos()


def relax_outside(x):
    for _ in range(3):
        if (x.abs() < 0.1).all():
            break
        x = x * 0.5
    return compiled_part(x)


def test_frame_given_up():
    report = dynprobe.explain(relax, [torch.ones(3)])
    assert rules(report) == ["frame-given-up"]
    assert report.calls[0].ops_run == 0
    # Its compiled part called from outside: captured, though the loop still is not.
    mended = dynprobe.explain(relax_outside, [torch.ones(3)])
    assert mended.calls[0].ops_run == 2


def branch(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def branch_cond(x):
    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))


def test_graph_break():
    report = dynprobe.explain(branch, [torch.ones(3)])
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("graph-break", "warning")
    assert finding.advice == "Use `torch.cond` to express dynamic control flow."
    assert rules(dynprobe.explain(branch_cond, [torch.ones(3), -torch.ones(3)])) == []


def sizes(x):
    return torch.sin(x) + 1


def test_size_recompile():
    calls = [torch.ones(n) for n in (4, 5, 6)]
    report = dynprobe.explain(sizes, calls)
    (finding,) = report.findings
    assert finding.rule == "size-recompile"
    assert "mark_dynamic(x, 0)" in finding.advice
    assert rules(dynprobe.explain(sizes, calls, mark_dynamic=[("x", 0)])) == []
    assert rules(dynprobe.explain(sizes, calls, dynamic=True)) == []


def test_a_size_of_one_is_no_finding_that_marking_mends():
    report = dynprobe.explain(sizes, [torch.ones(4), torch.ones(1)])
    assert report.counters.recompiles == 1
    assert rules(report) == []


def test_nothing_to_find():
    assert dynprobe.explain(sizes, [torch.ones(4)] * 2).findings == ()
