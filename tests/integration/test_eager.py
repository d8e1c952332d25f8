"""What differs from eager in silence on torch 2.13, and why: each kind beside two runs of raw torch
that know nothing of dynprobe, and beside its neighbours that are right and must not be told."""

from __future__ import annotations

import collections
import functools
import os
import random
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from side_by_side import FORK, side_by_side
from torch.utils._python_dispatch import TorchDispatchMode

from dynprobe import Call, Report
from dynprobe.diagnose.findings import find

SCALE = 2.0


def ones() -> torch.Tensor:
    return torch.ones(3)


def twice(target, between=None, args=None):
    """Two calls, the second after `between()`."""
    made = args or ((ones(),), (ones(),))
    return target, [Call(made[0]), Call(made[1], before=between)]


def setting(value):
    return lambda: os.environ.update(EAGER_CASE=value)


def environment_by_getenv():
    os.environ["EAGER_CASE"] = "a"
    return twice(lambda x: x * 2 if os.getenv("EAGER_CASE") == "a" else x, setting("b"))


def environment_by_in():
    os.environ.pop("EAGER_CASE", None)
    return twice(lambda x: x * 2 if "EAGER_CASE" in os.environ else x + 5, setting("b"))


def hook_of_a_child():
    net = torch.nn.Sequential(torch.nn.Linear(3, 3))
    return twice(net, lambda: net[0].register_forward_hook(lambda *_: torch.zeros(3)))


def hook_of_a_closure():
    net = torch.nn.Linear(3, 3)
    hook = lambda module, args: (args[0] * 0,)  # noqa: E731
    return twice(lambda x: net(x) + 1, lambda: net.register_forward_pre_hook(hook))


def memoised_function():
    @functools.lru_cache
    def scale():
        return SCALE

    def change():
        global SCALE
        SCALE = 3.0

    return twice(lambda x: x * scale(), change)


def memoised_method():
    class Of:
        k = 2.0

        @functools.cache  # noqa: B019
        def scale(self):
            return self.k

    of = Of()
    return twice(lambda x: x * of.scale(), lambda: setattr(of, "k", 3.0))


def method_replaced_on_its_class():
    class Net(torch.nn.Module):
        def helper(self, x):
            return x * 2

        def forward(self, x):
            return self.helper(x)

    return twice(Net(), lambda: setattr(Net, "helper", lambda self, x: x * 3))


def forward_replaced_on_its_class():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x * 2

    net = torch.nn.Sequential(Net())
    return twice(net, lambda: setattr(Net, "forward", lambda self, x: x * 3))


def class_method_replaced():
    class Of:
        @classmethod
        def scale(cls, x):
            return x * 2

    return twice(
        lambda x: Of.scale(x), lambda: setattr(Of, "scale", classmethod(lambda cls, x: x * 3))
    )


def constant_result():
    scales = [2.0]

    @torch.compiler.assume_constant_result
    def scale():
        return scales[0]

    return twice(lambda x: x * scale(), lambda: scales.__setitem__(0, 3.0))


def attribute_of_a_function():
    def count(x):
        count.calls = getattr(count, "calls", 0) + 1
        return x + 1

    return twice(count)


def generator_of_ones_own():
    rng = random.Random(0)
    return twice(lambda x: x * rng.random())


def run_again_for_its_capture():
    log = []

    @torch.compiler.allow_in_graph
    def noting(x):
        log.append(1)
        return x * 2

    return twice(lambda x: noting(x) + 1)


def asks_whether_it_is_compiled():
    return twice(lambda x: x * 2 if torch.compiler.is_compiling() else x)


def reads_the_clock():
    return twice(lambda x: x + time.time_ns() % 1_000_003)


def drawn_again_for_its_capture():
    @torch.compiler.allow_in_graph
    def noise(x):
        return x + np.random.rand()

    return twice(lambda x: noise(x) * 2)


DIFFERENT = {
    environment_by_getenv: {"environment EAGER_CASE"},
    environment_by_in: {"environment EAGER_CASE"},
    hook_of_a_child: {"hook self[0]: forward hook"},
    hook_of_a_closure: {"hook closure net: forward pre hook"},
    memoised_function: {"lru_cache scale"},
    memoised_method: {"lru_cache Of.scale"},
    method_replaced_on_its_class: {"attribute Net.helper"},
    forward_replaced_on_its_class: {"attribute Net.forward"},
    class_method_replaced: {"attribute Of.scale"},
    constant_result: {"closure closure scales[0]"},
    attribute_of_a_function: {"attribute count.calls"},
    generator_of_ones_own: set(),
    run_again_for_its_capture: set(),
    asks_whether_it_is_compiled: set(),
    reads_the_clock: {"clock time.time_ns"},
    drawn_again_for_its_capture: set(),
}
RULES = {
    environment_by_getenv: {"stale-environment"},
    environment_by_in: {"stale-environment"},
    hook_of_a_child: {"late-hook"},
    hook_of_a_closure: {"late-hook"},
    memoised_function: {"lru-cache-ignored"},
    memoised_method: {"lru-cache-ignored"},
    generator_of_ones_own: {"lost-mutation"},
    attribute_of_a_function: {"lost-mutation", "stale-value"},
    run_again_for_its_capture: {"result-differs"},
    asks_whether_it_is_compiled: {"result-differs"},
    reads_the_clock: {"clock-differs"},
    drawn_again_for_its_capture: {"random-differs"},
}
OF_EAGER = {
    "stale-environment", "late-hook", "lru-cache-ignored", "stale-value", "lost-mutation",
    "result-differs", "random-differs", "clock-differs",
}  # fmt: skip


def environment_by_get():
    os.environ["EAGER_CASE"] = "a"
    return twice(lambda x: x * 2 if os.environ.get("EAGER_CASE") == "a" else x, setting("b"))


def hook_taken_away():
    net = torch.nn.Sequential(torch.nn.Linear(3, 3))
    handle = net[0].register_forward_hook(lambda *_: torch.zeros(3))
    return twice(net, handle.remove)


def global_changed():
    def change():
        global SCALE
        SCALE += 1

    return twice(lambda x: x * SCALE, change)


def closure_counted():
    seen: list[int] = []

    def target(x):
        seen.append(len(seen))
        return x + 1

    return twice(target)


def every_container_changed():
    kept = SimpleNamespace(n=0)
    table: dict = collections.defaultdict(int)
    last: collections.deque = collections.deque(maxlen=2)
    names: set = set()

    def target(x, out=[]):  # noqa: B006
        kept.n += 1
        kept.tensor = x * 2
        table["a"] += 1
        last.append(kept.n)
        names.add(kept.n)
        out.append(kept.n)
        x.add_(1)
        return {"x": x, "pair": (kept.n, [x * 2])}

    return twice(target)


def module_that_counts():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(3)
            self.calls = 0
            self.register_buffer("seen", torch.zeros(()))

        def forward(self, x):
            self.calls += 1
            self.seen += 1
            return self.norm(x)

    return twice(Net(), args=((torch.randn(4, 3),), (torch.randn(4, 3),)))


def random_numbers():
    return twice(lambda x: x + torch.rand(3) + random.random() + np.random.rand())


def generator_function():
    def target(x):
        for factor in (1, 2):
            yield x * factor

    return twice(target)


def raises():
    def target(x):
        x.add_(1)
        raise ValueError("as it should")

    return twice(target)


def raised_by_torch():
    return twice(lambda x: x @ torch.ones(5))


def backward():
    weight = torch.nn.Parameter(torch.ones(3))

    def target(x):
        (x * weight).sum().backward()
        return x

    return twice(target)


def method_replaced_on_the_instance():
    net = torch.nn.Sequential(torch.nn.Linear(3, 3))
    return twice(net, lambda: setattr(net[0], "forward", lambda x: x * 0))


def set_of_texts():
    words = {"one", "two", "three", "four"}
    return twice(lambda x: [x * len(word) for word in words])


THE_SAME = [
    environment_by_get, hook_taken_away, global_changed, closure_counted, every_container_changed,
    module_that_counts, random_numbers, generator_function, raises, raised_by_torch, backward,
    method_replaced_on_the_instance, set_of_texts,
]  # fmt: skip


def by_torch(make, *, compiled):
    """The results, in a process of their own, without dynprobe."""

    def run(queue):
        torch.set_num_threads(1)  # as in `side_by_side`
        target, calls = make()
        target = torch.compile(target, backend="eager") if compiled else target
        results = []
        for index, call in enumerate(calls):
            if call.before:
                call.before()
            torch.manual_seed(index)
            random.seed(index)
            np.random.seed(index)
            results.append(target(*call.args).detach().tolist())
        queue.put(results)

    queue = FORK.SimpleQueue()
    process = FORK.Process(target=run, args=(queue,))
    process.start()
    results = queue.get()
    process.join()
    return results


@pytest.mark.parametrize("make", DIFFERENT, ids=lambda make: make.__name__)
def test_what_differs_in_silence(make, tmp_path):
    report = side_by_side(make, tmp_path)
    assert report.unknown == ()
    true = [a == b for a, b in zip(*(by_torch(make, compiled=c) for c in (0, 1)), strict=True)]
    if make is not reads_the_clock:
        assert [call.eager.difference is None for call in report.calls] == true
    assert False in [call.eager.same for call in report.calls]
    told = {f"{row.kind} {row.what}" for call in report.calls for row in call.eager.unguarded}
    assert told == DIFFERENT[make]
    rules = {finding.rule for finding in find(report)} & OF_EAGER
    assert rules == RULES.get(make, {"stale-value"})


@pytest.mark.parametrize("make", THE_SAME, ids=lambda make: make.__name__)
def test_what_is_right_is_not_told(make, tmp_path):
    report = side_by_side(make, tmp_path)
    assert report.unknown == ()
    assert [(call.eager.same, call.eager.note) for call in report.calls] == [(True, None)] * 2
    assert {finding.rule for finding in find(report)} & OF_EAGER == set()


def test_where_it_is_read_and_what_it_was(tmp_path):
    _, last = side_by_side(environment_by_getenv, tmp_path).calls
    [row] = last.eager.unguarded
    assert (row.captured, row.now, row.captured_in) == ("'a'", "'b'", 0)
    assert row.where.line == environment_by_getenv.__code__.co_firstlineno + 2


def test_how_large_the_difference_is(tmp_path):
    _, last = side_by_side(constant_result, tmp_path).calls
    difference = last.eager.difference
    assert (difference.largest, difference.differ, difference.of) == (1.0, 3, 3)
    assert difference.relative == pytest.approx(1 / 3)


def test_what_is_lost_and_what_it_was_before(tmp_path):
    report = side_by_side(attribute_of_a_function, tmp_path)
    [change] = report.calls[1].eager.changes
    assert (change.what, change.before, change.eager, change.compiled) == (
        "count.calls", "1", "2", "1",
    )  # fmt: skip


def test_random_numbers_are_told_by_the_generators_alone(tmp_path):
    report = side_by_side(random_numbers, tmp_path)
    assert [call.eager.random for call in report.calls] == [True, True]
    assert not side_by_side(global_changed, make_folder(tmp_path)).calls[0].eager.random


def make_folder(path):
    folder = path / "more"
    folder.mkdir()
    return folder


def test_an_eager_run_leaves_the_environment_as_it_is(tmp_path):
    def make():
        def target(x):
            os.environ["EAGER_SET"] = "1"
            return x * len(os.environ["EAGER_SET"])

        def check():
            assert type(os.environ._data) is dict
            assert os.environ.pop("EAGER_SET") == "1"

        return twice(target, check)

    report = side_by_side(make, tmp_path)
    assert [call.eager.same for call in report.calls] == [True, True]


PRINTS = """
import torch

def prints(x):
    print("compiled" if torch.compiler.is_compiling() else "eager", object())
    return x * 2

def reports(x):
    print("the same", object())
    return x * 2

WORDS = {"one", "three", "fifteen", "four"}

def ordered(x):
    print(*WORDS)
    return [x * len(word) for word in WORDS]
"""


def commanded(tmp_path, target):
    file = tmp_path / "prints.py"
    file.write_text(PRINTS)
    saved = tmp_path / "report.json"
    words = ["explain", f"{file}:{target}", "--shapes", "3", "--eager", "-o", str(saved)]
    done = subprocess.run(
        [sys.executable, "-m", "dynprobe", *words], capture_output=True, text=True, timeout=120
    )
    return Report.model_validate_json(saved.read_text()), done.stdout


def test_what_is_printed_is_compared_by_the_command(tmp_path):
    report, said = commanded(tmp_path, "prints")
    [change] = report.calls[0].eager.changes
    assert change.kind == "printed"
    assert change.eager.startswith("eager <object")
    assert change.compiled.startswith("compiled <object")
    assert "Against eager" in said


@pytest.mark.parametrize("target", ["reports", "ordered"])
def test_addresses_and_the_order_of_sets_make_no_difference(tmp_path, target):
    report, said = commanded(tmp_path, target)
    assert report.calls[0].eager.same is True
    assert "call 0: the same result and the same changes as eager" in said


def test_a_fault_of_ours_is_told_and_costs_the_comparison_alone(tmp_path, monkeypatch):
    def fails(*_):
        raise RuntimeError("a fault")

    monkeypatch.setattr("dynprobe.observe.compare.state.reach", fails)
    report = side_by_side(constant_result, tmp_path)
    assert [call.outcome for call in report.calls] == ["capture", "hit"]
    assert {call.eager.same for call in report.calls} == {None}
    assert {fact.reason for fact in report.unknown} == {"RuntimeError: a fault"}


def exits():
    def target(x):
        raise SystemExit(3)

    return twice(target)


def clears_the_environment():
    def target(x):
        os.environ.clear()
        return x + 1

    return twice(target)


def under_a_dispatch_mode():
    class Mode(TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Mode.seen += 1
            return func(*args, **(kwargs or {}))

    def target(x):
        return torch.sin(x) + Mode.seen

    return target, [Call((ones(),), around=Mode), Call((ones(),), around=Mode)]


def larger_than_memory():
    return twice(lambda x: x.expand(1 << 34, 3))


def refers_to_itself():
    kept: dict = {}
    kept["me"] = kept

    def target(x):
        kept["x"] = x + 1
        return kept

    return twice(target)


@pytest.mark.parametrize(
    "make",
    [exits, clears_the_environment, under_a_dispatch_mode, larger_than_memory, refers_to_itself],
    ids=lambda make: make.__name__,
)
def test_targets_that_resist(make, tmp_path):
    report = side_by_side(make, tmp_path)
    assert report.unknown == ()
    assert [call.eager.same for call in report.calls] == [True, True]
