"""`torch.compile(…, isolate_recompiles=True)`: entries of one call are none of another's."""

from __future__ import annotations

import logging

import pytest
import torch

import dynprobe

NEW = pytest.mark.skipif(
    "isolate_recompiles" not in (torch.compile.__kwdefaults__ or {}),
    reason="this torch has no regions",
)


def scaled(x, mode):
    return x * len(mode)


def from_two_places(**options):
    places = [torch.compile(scaled, backend="eager", **options) for _ in range(2)]

    @torch.compiler.disable
    def in_turn(x):
        return [place(x, "m" * n) for n, place in enumerate(places, 1)]

    def target(x):
        return in_turn(x)

    return target


@pytest.fixture
def recompiled():
    """Names of the functions that torch itself says it recompiles."""
    names = []

    class Handler(logging.Handler):
        def emit(self, record):
            text = record.getMessage()
            if text.startswith("Recompiling function "):
                names.append(text.split()[2])

    handler = Handler()
    logger = logging.getLogger("torch._dynamo.guards.__recompiles")
    torch._logging.set_logs(recompiles=True)
    logger.addHandler(handler)
    yield names
    logger.removeHandler(handler)
    torch._logging.set_logs()


@pytest.mark.parametrize(
    ("options", "outcomes"),
    [
        ({}, ["capture", "recompile"]),
        pytest.param({"isolate_recompiles": True}, ["capture", "capture"], marks=NEW),
    ],
)
def test_a_miss_is_a_recompile_where_torch_says_so(options, outcomes, recompiled):
    torch._dynamo.reset()
    torch.compile(from_two_places(**options), backend="eager")(torch.ones(2))
    assert recompiled == ["scaled"] * outcomes.count("recompile")
    torch._dynamo.reset()
    report = dynprobe.explain(from_two_places(**options), [torch.ones(2)])
    runs = [run for run in report.calls[0].frames if run.function == "scaled"]
    assert [run.outcome for run in runs] == outcomes
    assert report.counters.recompiles == outcomes.count("recompile")
