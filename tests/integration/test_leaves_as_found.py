"""`dynprobe.explain` runs in the caller's process and leaves it as it found it."""

from __future__ import annotations

import logging
import random

import pytest
import torch
from torch._C._dynamo import eval_frame
from torch._dynamo import convert_frame, output_graph, symbolic_convert, utils

import dynprobe
from dynprobe.errors import DynprobeError


def f(x, mode="a"):
    return x.sin() + len(mode)


def breaks(x):
    torch._dynamo.graph_break()
    return x + 1


def entries(function):
    return eval_frame._debug_get_cache_entry_list(function.__code__)


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    utils.counters.clear()


def test_taps_are_taken_out():
    wrapped = {
        "catch": convert_frame.CatchErrorsWrapper.__call__,
        "assert": convert_frame.ConvertFrameAssert.__call__,
        "compiler": output_graph.OutputGraph.call_user_compiler,
        "subgraph": output_graph.OutputGraph.compile_subgraph,
        "break": symbolic_convert.InstructionTranslator.log_graph_break,
    }

    def hook(found):
        return found

    previous = eval_frame.set_guard_complete_hook(hook)
    try:
        dynprobe.explain(f, [torch.ones(2)])
        assert eval_frame.set_guard_complete_hook(previous) is hook
    finally:
        eval_frame.set_guard_complete_hook(previous)
    assert wrapped == {
        "catch": convert_frame.CatchErrorsWrapper.__call__,
        "assert": convert_frame.ConvertFrameAssert.__call__,
        "compiler": output_graph.OutputGraph.call_user_compiler,
        "subgraph": output_graph.OutputGraph.compile_subgraph,
        "break": symbolic_convert.InstructionTranslator.log_graph_break,
    }


def test_the_callers_hook_is_still_told():
    told = []
    previous = eval_frame.set_guard_complete_hook(lambda found: told.append(found) or found)
    try:
        dynprobe.explain(f, [torch.ones(2), torch.ones(2)])
    finally:
        eval_frame.set_guard_complete_hook(previous)
    assert told == [True]


def test_no_entries_are_left():
    dynprobe.explain(f, [torch.ones(2), torch.ones(3)])
    dynprobe.explain(breaks, [torch.ones(2)])
    assert entries(f) == []
    assert entries(breaks) == []


def test_the_callers_entries_are_kept_and_not_used():
    compiled = torch.compile(f, backend="eager")
    compiled(torch.ones(2))
    (mine,) = entries(f)
    captured = utils.counters["stats"]["calls_captured"]
    report = dynprobe.explain(f, [torch.ones(2)])
    # A fresh observation, though the caller's entry would have matched.
    assert [c.outcome for c in report.calls] == ["capture"]
    compiled(torch.ones(2))
    assert utils.counters["stats"]["calls_captured"] == captured
    assert str(entries(f)[0].compile_id) == str(mine.compile_id)


def test_a_frame_given_up_here_is_not_given_up_for_the_caller():
    def in_loop(x):
        for _ in range(2):
            torch._dynamo.graph_break()
        return x + 1

    def plain(x):
        return x + 1 if x.shape[0] > 1 else in_loop(x)

    compiled = torch.compile(plain, backend="eager")
    compiled(torch.ones(3))
    report = dynprobe.explain(plain, [torch.ones(1), torch.ones(3)])
    assert "skip" in [f.outcome for c in report.calls for f in c.frames]
    before = utils.counters["stats"]["unique_graphs"]
    compiled(torch.ones(4))
    assert utils.counters["stats"]["unique_graphs"] == before + 1


def test_counters_and_numbers_of_frames():
    torch.compile(breaks, backend="eager")(torch.ones(2))
    before = {k: dict(v) for k, v in utils.counters.items()}
    reasons = list(utils.graph_break_reasons)
    number = convert_frame.FRAME_COUNTER
    dynprobe.explain(f, [torch.ones(2), torch.ones(3)])
    dynprobe.explain(breaks, [torch.ones(2)])
    assert {k: dict(v) for k, v in utils.counters.items()} == before
    assert utils.graph_break_reasons == reasons
    assert number == convert_frame.FRAME_COUNTER


def test_config_random_state_and_loggers():
    config = torch._dynamo.config.save_config()
    filters = list(logging.getLogger("torch._dynamo.convert_frame").filters)
    torch.manual_seed(3)
    random.seed(3)
    states = torch.get_rng_state(), random.getstate()

    def draws(x):
        return x + torch.rand(2) * random.random()

    dynprobe.explain(draws, [torch.ones(2)] * 2, recompile_limit=3)
    assert torch._dynamo.config.save_config() == config
    assert torch.equal(torch.get_rng_state(), states[0])
    assert random.getstate() == states[1]
    assert logging.getLogger("torch._dynamo.convert_frame").filters == filters


def test_grad_mode_and_train_mode():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    dynprobe.explain(model, [torch.ones(1, 2)], train=False, grad=False)
    assert torch.is_grad_enabled()
    assert all(m.training for m in model.modules())


def test_everything_is_taken_out_when_the_order_is_wrong():
    before = convert_frame.CatchErrorsWrapper.__call__
    with pytest.raises(DynprobeError, match="no backend 'eagr'"):
        dynprobe.explain(f, [torch.ones(2)], backend="eagr")
    assert convert_frame.CatchErrorsWrapper.__call__ is before
    assert len(dynprobe.explain(f, [torch.ones(2)]).calls) == 1


def test_observing_inside_an_observation_is_refused():
    def nested(x):
        dynprobe.explain(f, [x])
        return x + 1

    report = dynprobe.explain(nested, [torch.ones(2)])
    assert report.calls[0].error is not None
    assert "already open" in report.calls[0].error.message


def test_sizes_seen_before_do_not_count_and_come_back():
    """Dynamo remembers sizes that changed; a fresh observation starts without that memory."""
    compiled = torch.compile(f, backend="eager")
    for n in (2, 3):
        compiled(torch.ones(n))
    for _ in range(2):
        report = dynprobe.explain(f, [torch.ones(n) for n in (2, 3, 4)])
        assert [c.outcome for c in report.calls] == ["capture", "recompile", "hit"]
    before = utils.counters["stats"]["unique_graphs"]
    compiled(torch.ones(5))
    assert utils.counters["stats"]["unique_graphs"] == before
