"""What a report says of code that people compile, where it is easy to say the wrong thing. What is
true is measured with raw torch, or known by construction."""

from __future__ import annotations

import collections
import enum

import numpy as np
import torch
import torch.nn as nn

import dynprobe
from dynprobe import Call, Report
from dynprobe.diagnose.verdict import judge


def told(function, calls, **options) -> Report:
    torch._dynamo.reset()
    return judge(dynprobe.explain(function, calls, **options))


def rules(report: Report) -> list[str]:
    return [finding.rule for finding in report.findings]


def accepts(report: Report) -> dict[str, str]:
    return {row.source: row.text for row in report.accepts}


def compiles(function, *calls) -> list[int]:
    """Graphs that each call compiled, by a backend of our own."""
    torch._dynamo.reset()
    made = []
    compiled = torch.compile(function, backend=lambda graph, _: made.append(0) or graph.forward)
    counts = []
    for args in calls:
        before = len(made)
        compiled(*args)
        counts.append(len(made) - before)
    return counts


def test_an_entry_that_misses_a_size_is_nearer_than_one_made_for_none() -> None:
    class Cache(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kept = None

        def forward(self, x):
            self.kept = x if self.kept is None else torch.cat([self.kept, x])
            return self.kept.sum() + 1

    assert compiles(Cache(), *[(torch.ones(3),)] * 4) == [1, 1, 1, 0]
    report = told(Cache(), [torch.ones(3) for _ in range(4)])
    nearest = [recompile.against[0].failed[0] for recompile in report.recompiles]
    assert [(row.source, row.expected) for row in nearest] == [
        ("self.kept", "None"),
        ("self.kept.shape[0]", "3"),
    ]


def test_a_side_of_a_condition_is_no_size_that_could_be_marked() -> None:
    def halves(x):
        return x.view(-1, x.shape[0] // 2) if x.shape[0] % 2 == 0 else x * 2

    sizes = [torch.ones(n) for n in (4, 6, 8, 7)]
    assert compiles(halves, *[(x,) for x in sizes]) == [1, 1, 0, 1]
    report = told(halves, sizes)
    assert report.recompiles[1].against[0].failed[0].source.startswith("x.shape[0] % 2")
    assert "size-condition" in rules(report)
    sizes_found = next(f for f in report.findings if f.rule == "size-recompile")
    assert sizes_found.calls == (1,)


def test_an_enum_member_is_one_finding_and_no_tensor() -> None:
    class Mode(enum.Enum):
        A = 1
        B = 2

    def choose(x, mode):
        return x + 1 if mode is Mode.A else x - 1

    report = told(choose, [((torch.ones(3), mode), {}) for mode in (Mode.A, Mode.B)])
    assert rules(report) == ["enum-argument"]


def test_a_shorter_list_is_one_finding() -> None:
    report = told(
        lambda xs: torch.stack(xs).sum(),
        [(([torch.ones(2) for _ in range(n)],), {}) for n in (3, 2)],
    )
    assert rules(report) == ["list-length"]


def test_layers_that_share_their_code_recompile_once_each() -> None:
    class Layer(nn.Module):
        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

        def forward(self, x):
            return x * self.index

    layers = [Layer(i) for i in range(4)]

    def stack(x):
        for layer in layers:
            torch._dynamo.graph_break()
            x = layer(x)
        return x

    assert compiles(stack, (torch.ones(2),)) == [4]
    report = told(stack, [torch.ones(2)])
    (finding,) = [f for f in report.findings if f.rule == "layer-index"]
    assert "recompiled 3 times" in finding.message


def test_an_array_is_told_as_the_tensor_it_is_taken_for() -> None:
    def add(x, a):
        return x + torch.from_numpy(a)

    calls = [((torch.ones(n), np.ones(n)), {}) for n in (3, 4)]
    report = told(add, calls)
    said = accepts(report)
    assert "a" not in said
    assert said["from_numpy(a).shape[0]"].startswith("3; or any size ≥ 2 that equals x.shape[0]")
    number = told(lambda x, k: x * k, [((torch.ones(3), np.float64(k)), {}) for k in (1.5, 2.5)])
    assert [call.outcome for call in number.calls] == ["capture", "hit"]
    (dim,) = number.frames[0].entries[0].dynamic_dims
    assert dim.reason == "always: the number in a tensor"


def test_what_hits_says_nothing_and_its_opposite_of_no_source() -> None:
    calls = {
        "transform": (lambda x: torch.func.grad(lambda a: (a * a).sum())(x), [torch.ones(3)]),
        "nan": (lambda x, k: x * k, [((torch.ones(3), np.float64(2.5)), {})]),
        "module": (nn.Linear(3, 3), [torch.ones(2, 3)]),
    }
    for function, made in calls.values():
        for row in told(function, made).accepts:
            assert row.source
            assert " is " not in row.text or len(set(row.text.split(" is "))) == 2
            assert not (row.conditions and "does not look at it" in row.text), row


def test_a_function_is_looked_at_by_its_code() -> None:
    def call(x, function):
        return function(x) + 1

    def double(x):
        return x * 2

    def triple(x):
        return x * 3

    same = [(torch.ones(3), torch.sin), (torch.ones(3), double), (torch.ones(3), triple)]
    assert compiles(call, *same, *same) == [1, 1, 1, 0, 0, 0]
    report = told(call, [(args, {}) for args in same])
    said = accepts(report)["function"]
    assert "does not look" not in said
    assert "do not look" not in said
    assert said.count("function code of") == 2


def test_a_number_after_a_tensor_says_so() -> None:
    Pair = collections.namedtuple("Pair", "a b")
    pairs = [Pair(torch.ones(3), b) for b in (torch.ones(3), 1, 2)]
    assert compiles(lambda p: p.a + p.b, *[(p,) for p in pairs]) == [1, 1, 0]
    report = told(lambda p: p.a + p.b, [((p,), {}) for p in pairs])
    (dim,) = report.frames[0].entries[1].dynamic_dims
    assert dim.reason == "automatic: a tensor, then 1"


def test_nested_tensors_leave_nothing_unknown() -> None:
    def jagged(*sizes):
        parts = [torch.ones(n, 2) for n in sizes]
        return torch.nested.nested_tensor(parts, layout=torch.jagged)

    report = told(lambda x: x * 2, [jagged(2, 3), jagged(4, 5), jagged(4, 5, 6)])
    assert report.unknown == ()


def test_the_step_of_an_optimizer_under_a_scheduler() -> None:
    weight = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.Adam([weight])
    torch.optim.lr_scheduler.StepLR(optimizer, 1)

    def step():
        optimizer.step()

    def gradient() -> None:
        weight.grad = torch.ones(3)

    report = told(step, [Call(before=gradient)])
    found = [f.rule for f in report.findings if f.break_index is not None]
    assert set(found) == {"optimizer-step"}


def test_a_first_call_without_an_operation_skips_what_follows() -> None:
    def add_all(x, *others):
        for other in others:
            x = x + other
        return x

    one = torch.ones(3)
    assert compiles(add_all, (one,), (one, one)) == [0, 0]
    assert compiles(add_all, (one, one)) == [1]
    report = told(add_all, [((one,), {}), ((one, one), {})])
    assert report.verdict is not None
    assert "call 0 reached no tensor operation, and Dynamo skips all later" in report.verdict.text
    assert "no tensor operation to compile" not in report.verdict.text


def test_an_int_in_a_closure_that_became_a_symbol_is_no_constant() -> None:
    def scaled(k):
        return lambda x: x * k

    def call(x, functions):
        return functions[0](x)

    calls = [(torch.ones(3), [scaled(k)]) for k in (1, 2, 3)]
    assert compiles(call, *calls) == [1, 1, 0]
    report = told(call, [(args, {}) for args in calls])
    assert rules(report) == ["held-int"]


def test_a_function_of_one_line_is_not_its_own_rest() -> None:
    def masked(x): return x[x > 0].sum()  # fmt: skip

    report = told(masked, [torch.ones(n) for n in (3, 4)])
    found = {f.subjects: f.rule for f in report.findings if f.break_index is None}
    assert found[("x.shape[0]",)] == "size-recompile"


def added(sizes, mark=""):
    """Calls of `x + y` of these sizes, with what the advice says done to the first call."""
    calls = [{"x": torch.ones(n), "y": torch.ones(n)} for n in sizes]
    exec(mark, {"torch": torch, **calls[0]})
    return [((call["x"], call["y"]), {}) for call in calls]


def test_sizes_that_must_be_equal_are_marked_together() -> None:
    def add(x, y):
        return x + y

    alone = "torch._dynamo.mark_dynamic(x, 0)"
    assert told(add, added((3, 4), alone)).calls[0].outcome == "error"  # what torch does
    (finding,) = told(add, added((3, 4))).findings
    mark = finding.advice.splitlines()[0].partition(": ")[2]
    outcomes = [call.outcome for call in told(add, added((3, 4, 5), mark)).calls]
    assert outcomes == ["capture", "hit", "hit"]


def test_a_size_that_must_equal_an_arrays_cannot_be_marked_alone() -> None:
    def add(x, a):
        return x + torch.from_numpy(a)

    calls = [((torch.ones(n), np.ones(n)), {}) for n in (3, 4)]
    (finding,) = told(add, calls).findings
    assert finding.rule == "array-size"
    assert finding.subjects == ("x.shape[0]", "from_numpy(a).shape[0]")
    assert "a = torch.from_numpy(a)" in finding.advice
    assert "mark_dynamic(x, 0), torch._dynamo.mark_dynamic(a, 0)" in finding.advice


def test_a_module_that_is_never_captured_is_one_finding() -> None:
    report = told(nn.GRU(3, 4), [torch.ones(2, 5, 3)])
    assert rules(report) == ["recurrent-module"]


def test_a_scheduler_is_part_of_the_optimizers_step() -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(3))], lr=0.1)
    optimizer.step()
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

    def step(x):
        y = x * 2
        scheduler.step()
        return y + 1

    assert rules(told(step, [torch.ones(3)])) == ["optimizer-step"]


def test_sizes_that_become_one_together_are_marked_unbacked_together() -> None:
    def add(x, y):
        return x + y

    alone = "torch._dynamo.decorators.mark_unbacked(x, 0)"
    assert told(add, added((4, 1), alone)).counters.unique_graphs == 2  # what torch does
    (finding,) = told(add, added((4, 1))).findings
    assert finding.rule == "size-zero-one"
    mark = finding.advice.splitlines()[0].partition("first call: ")[2]
    assert told(add, added((4, 1, 5), mark)).counters.unique_graphs == 1


def test_a_text_read_behind_a_break_is_an_argument_all_the_same() -> None:
    def parts(x, mode):
        y = x * 2
        torch._dynamo.graph_break()
        return y.relu() if mode == "train" else y + 1

    def whole(x, mode):
        return (x * 2).relu() if mode == "train" else x * 2 + 1

    calls = [((torch.ones(3), mode), {}) for mode in ("train", "eval")]
    assert told(whole, calls).counters.recompiles == 1  # mending the break does not spare it
    (finding,) = [f for f in told(parts, calls).findings if "mode" in f.subjects]
    assert finding.rule == "constant-argument"


class SetsItsOwn(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.seen = nn.Linear(3, 3), 0

    def forward(self, x):
        self.seen += 1
        return self.lin(x)


def test_a_module_that_sets_its_attributes_has_its_parts_named_as_written() -> None:
    (frame,) = told(SetsItsOwn(), [torch.ones(2, 3)]).frames
    sources = {guard.source for guard in frame.entries[0].guards}
    assert {"self.lin", "self.lin.weight", "self.lin.bias"} <= sources
