"""Which limit a frame is at: the process's, one of its `torch.compile` call, or that of all."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.utils import counters

import dynprobe
from dynprobe import Call

NEW = pytest.mark.skipif(
    "recompile_limit" not in (torch.compile.__kwdefaults__ or {}), reason="not in this torch"
)


def scaled(x, mode):
    return x * len(mode)


def usual():
    return scaled, lambda: setattr(torch._dynamo.config, "recompile_limit", 3)


def own():
    return torch.compile(scaled, backend="eager", recompile_limit=3), lambda: None


def in_all():
    return scaled, lambda: setattr(torch._dynamo.config, "accumulated_recompile_limit", 3)


@pytest.mark.parametrize(
    ("make", "rule", "said", "why"),
    [
        (usual, "recompile-limit", "its recompile limit (3)", None),
        pytest.param(
            own, "recompile-limit", "its recompile limit (3)", "recompile_limit=3", marks=NEW
        ),
        (in_all, "accumulated-limit", "(3 entries)", "accumulated_recompile_limit = 3"),
    ],
)
def test_the_limit_is_named(make, rule, said, why):
    torch._dynamo.reset()
    with torch._dynamo.config.patch(recompile_limit=8, accumulated_recompile_limit=256):
        target, lower = make()
        lower()
        compiled = target if target is not scaled else torch.compile(scaled, backend="eager")
        counters.clear()
        for n in range(1, 6):
            compiled(torch.ones(2), "m" * n)
        assert counters["stats"]["unique_graphs"] == 3
        torch._dynamo.reset()
        report = dynprobe.explain(target, [Call((torch.ones(2), "m" * n)) for n in range(1, 6)])
    [frame] = report.frames
    assert (frame.state, frame.since, len(frame.entries)) == ("limit", 3, 3)
    assert (why in frame.skip_reason) if why else frame.skip_reason is None
    [found] = [finding for finding in report.findings if finding.rule.endswith("limit")]
    assert found.rule == rule
    assert said in found.message
    assert found.calls == (3, 4)
