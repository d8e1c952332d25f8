"""Questions that people asked of torch in public threads, each answered on real torch.

The function of a thread is written anew; what it shows is what the thread shows."""

from __future__ import annotations

import contextlib
import os
import types
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import dynprobe
from dynprobe import Call, Report
from dynprobe.report import Against, FailedGuard


def nearest(report: Report, recompile: int = 0) -> Against:
    assert report.unknown == ()
    return report.recompiles[recompile].against[0]


def said(rows: tuple[FailedGuard, ...]) -> list[tuple[str, str, str]]:
    return [(row.source, row.expected, row.actual) for row in rows]


class Config:
    scale = 1.0

    def __init__(self) -> None:
        self.scale = 1.0


CONFIG = Config()


def scaled(x):
    return x * CONFIG.scale


def through_a_helper(x):
    return scaled(x.sin())


def set_scale(value: float) -> Callable[[], None]:
    return lambda: setattr(CONFIG, "scale", value)


def test_114015_the_users_stack_that_led_to_the_guard():
    calls = [Call((torch.ones(3),), before=set_scale(value)) for value in (1.0, 2.0)]
    (row,) = nearest(dynprobe.explain(through_a_helper, calls)).failed
    assert said((row,)) == [("global CONFIG.scale", "1.0", "2.0")]  # 110928: the value now
    assert [line.text for line in row.stack] == [
        "return scaled(x.sin())",
        "return x * CONFIG.scale",
    ]
    assert row.code == "return x * CONFIG.scale"


def rand_of(x):
    return torch.rand(x[-1], len(x))


def test_113585_all_that_failed_without_what_only_raises():
    """A guard on an item behind the list's end raises; that it is not there is the length's."""
    report = dynprobe.explain(rand_of, [Call((items,)) for items in ([4, 5, 6], [7, 8], [9])])
    first, second = nearest(report), nearest(report, 1)
    assert said(first.failed) == [("len(x)", "3", "2")]
    assert first.not_reached == ("x[2]",)
    assert said(second.failed) == [("len(x)", "2", "1")]
    assert [finding.rule for finding in report.findings] == ["list-length"]


@pytest.mark.parametrize(
    ("mode", "source", "expected", "actual"),
    [
        (torch.inference_mode, "grad mode", "on", "off"),
        (lambda: torch.autocast("cpu", torch.bfloat16), "autocast", "off", "on"),
    ],
)
def test_123784_which_global_state_changed(mode, source, expected, actual):
    x = torch.ones(3)
    report = dynprobe.explain(torch.nn.functional.gelu, [Call((x,)), Call((x,), around=mode)])
    found = nearest(report)
    assert found.torch_says.startswith("GLOBAL_STATE changed")
    assert said(found.failed)[0] == (source, expected, actual)


class Infra(TorchDispatchMode):
    """torch's own debug modes are of this kind: Dynamo captures under them."""

    @classmethod
    def is_infra_mode(cls) -> bool:
        return True

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Plain(Infra):
    @classmethod
    def is_infra_mode(cls) -> bool:
        return False


def product(x):
    return x @ x


def by_torch(calls: list[Call]) -> tuple[int, list[bool]]:
    """How many graphs a backend of our own gets, without dynprobe, and in which calls one ran."""
    graphs, runs = 0, 0

    def backend(gm: Any, inputs: Any) -> Any:
        nonlocal graphs
        graphs += 1

        def ran(*args: Any) -> Any:
            nonlocal runs
            runs += 1
            return gm.forward(*args)

        return ran

    # Code of its own: what Dynamo gives up here it gives up for the process.
    own = types.FunctionType(product.__code__.replace(), globals())
    function = torch.compile(own, backend=backend)
    ran_in = []
    for call in calls:
        before = runs
        with call.around() if call.around is not None else contextlib.nullcontext():
            function(*call.args)
        ran_in.append(runs > before)
    return graphs, ran_in


def test_144787_and_164119_a_recompile_under_an_infra_mode_has_a_reason():
    """Where torch compiles anew under such a mode its own reason is empty; newer ones do not."""
    x = torch.ones(3)
    calls = [Call((x,), around=Infra) for _ in range(3)]
    report = dynprobe.explain(product, calls)
    assert report.unknown == ()
    assert report.counters.unique_graphs == by_torch(calls)[0]
    for recompile in report.recompiles:
        for found in recompile.against:
            (row,) = found.failed
            assert said((row,)) == [
                ("x", "not under a torch dispatch mode", "under a torch dispatch mode")
            ]


def test_112867_why_a_frame_was_skipped_in_plain_words():
    """For good, on some versions: a later call without the mode then runs eagerly too."""
    x = torch.ones(3)
    calls = [Call((x,)), Call((x,), around=Plain), Call((x,))]
    report = dynprobe.explain(product, calls)
    assert [call.outcome for call in report.calls[:2]] == ["capture", "skip"]
    assert [call.graph_runs > 0 for call in report.calls] == by_torch(calls)[1]
    assert report.calls[1].reason
    assert "a torch dispatch mode was active" in report.calls[1].reason
    is_lost = report.calls[2].graph_runs == 0
    (frame,) = [frame for frame in report.frames if frame.function == "product"]
    assert (frame.state, frame.since) == (("skipped", 1) if is_lost else ("compiled", None))
    assert ("switched-off" in [finding.rule for finding in report.findings]) == is_lost


def test_134249_a_tensor_of_inference_mode_is_told_in_english():
    with torch.inference_mode():
        inference = torch.ones(3)
    (row,) = nearest(dynprobe.explain(product, [inference, torch.ones(3)])).failed
    assert (row.expected, row.actual) == ("of inference mode", "not of inference mode")


def by_environment(x):
    return x * 2 if os.environ["QUESTION"] == "a" else x + 1


def test_a_variable_of_the_environment_is_named_as_the_user_writes_it(monkeypatch):
    def to(value: str) -> Callable[[], None]:
        return lambda: os.environ.update(QUESTION=value)

    monkeypatch.setenv("QUESTION", "a")
    calls = [Call((torch.ones(3),), before=to(value)) for value in ("a", "b")]
    report = dynprobe.explain(by_environment, calls)
    (row,) = nearest(report).failed
    assert said((row,)) == [("os.environ['QUESTION']", "'a'", "'b'")]
    assert row.near is not None
    assert row.near.function == "by_environment"
    guards = [g for g in report.frames[0].entries[0].guards if g.source == row.source]
    assert [(g.condition, g.value, g.origin) for g in guards] == [("== 'a'", "'a'", "user")]
    (told,) = [a for a in report.accepts if a.source == row.source]
    assert told.values == ("'a'", "'b'")


def test_a_guard_that_a_library_reads_names_the_users_line_too():
    def through_torch(x):
        return torch.nn.Linear.forward(LINEAR, x)

    report = dynprobe.explain(through_torch, [torch.ones(2, 3)])
    (guard,) = [
        g for g in report.frames[0].entries[0].guards if g.source == "x" and g.kind == "tensor"
    ]
    assert guard.where is not None
    assert guard.near is not None
    assert guard.where.file.endswith("linear.py")
    assert guard.near.text == "return torch.nn.Linear.forward(LINEAR, x)"


LINEAR = torch.nn.Linear(3, 3)


def test_every_finding_has_a_page():
    report = dynprobe.explain(product, [torch.ones(3), torch.ones(4)])
    (finding,) = report.findings
    assert finding.url == f"docs/rules/{finding.rule}.md"
