"""dynprobe's counters beside torch's own, on the same calls without dynprobe."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.utils import counters

import dynprobe


def sizes(x):
    return torch.sin(x) + 1


def two_breaks(x):
    y = x + 1
    torch._dynamo.graph_break()
    y = y * 2
    torch._dynamo.graph_break()
    return y.cos()


def helper(x):
    y = x * 2
    torch._dynamo.graph_break()
    return y


def with_helper(x):
    return helper(x.sin()).cos()


def branch(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        self.scale = 2

    def forward(self, x):
        return self.lin(x).relu() * self.scale


def xs(*shapes):
    return [torch.ones(*((s,) if isinstance(s, int) else s)) for s in shapes]


CASES = {
    "sizes": (sizes, xs(4, 4, 5, 6, 1, 0, 7)),
    "ranks": (sizes, xs(4, (2, 2), (1, 2, 2))),
    "two breaks": (two_breaks, xs(3, 3, 4)),
    "a helper": (with_helper, xs(3, 4, 5)),
    "branch": (branch, [torch.ones(3), -torch.ones(3), torch.ones(3)]),
    "module": (Net(), xs((2, 4), (3, 4), (2, 4))),
    "over the limit": (sizes, [torch.ones([1] * n) for n in range(1, 11)]),
}


def by_hand(function, calls):
    """Running totals of torch's own counters, and the runs of graphs counted by a backend."""
    torch._dynamo.reset()
    counters.clear()
    runs = {"graphs": 0, "ops": 0}

    def backend(gm, _):
        ops = sum(n.op.startswith("call") for n in gm.graph.nodes)

        def run(*args):
            runs["graphs"] += 1
            runs["ops"] += ops
            return gm.forward(*args)

        return run

    compiled = torch.compile(function, backend=backend)
    rows = []
    for x in calls:
        compiled(x)
        stats = counters["stats"]
        rows.append((stats["calls_captured"], stats["unique_graphs"], runs["graphs"], runs["ops"]))
    return rows


@pytest.mark.parametrize("name", CASES)
def test_beside_torchs_own(name):
    function, calls = CASES[name]
    expected = by_hand(function, calls)
    torch._dynamo.reset()
    report = dynprobe.explain(function, calls)
    graph_runs = ops_run = 0
    mine = []
    for call in report.calls:
        graph_runs += call.graph_runs
        ops_run += call.ops_run
        mine.append((call.calls_captured, call.unique_graphs, graph_runs, ops_run))
    assert mine == expected
    totals = report.counters
    assert (totals.calls_captured, totals.unique_graphs) == expected[-1][:2]
    assert (totals.graph_runs, totals.ops_run) == expected[-1][2:]


def test_break_count_is_one_where_torchs_is_honestly_one():
    torch._dynamo.reset()
    theirs = torch._dynamo.explain(branch)(torch.ones(3))
    report = dynprobe.explain(branch, [torch.ones(3)])
    assert report.counters.graph_break_count == theirs.graph_break_count == 1


def test_break_count_where_torchs_misleads():
    torch._dynamo.reset()
    theirs = torch._dynamo.explain(with_helper)(torch.ones(3))
    assert theirs.graph_break_count == 2  # graphs - 1 … for one place
    assert dynprobe.explain(with_helper, xs(3)).counters.graph_break_count == 1


@pytest.mark.parametrize(
    "sizes_called", [(4, 4, 5, 6, 4, 1, 5, 4, 1), (1, 2, 1, 3, 1, 0, 2, 0)], ids=str
)
def test_the_entry_that_was_hit(sizes_called):
    """Dynamo moves the entry it used to the front of a frame's list: read there, without dynprobe,
    and told by the entry itself in the report."""
    front = torch._C._dynamo.eval_frame._debug_get_cache_entry_list
    torch._dynamo.reset()
    compiled = torch.compile(sizes, backend="eager")
    used = []
    for n in sizes_called:
        compiled(torch.ones(n))
        used.append(str(front(sizes.__code__)[0].compile_id))
    torch._dynamo.reset()
    report = dynprobe.explain(sizes, xs(*sizes_called))
    assert [call.frames[0].compile_id for call in report.calls] == used
