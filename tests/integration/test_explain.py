"""`dynprobe.explain`, which observes in the caller's own process and leaves it as it found it."""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch._dynamo import config
from torch._dynamo.utils import counters

import dynprobe
from dynprobe.errors import InputError, TargetError
from dynprobe.observe.here import observe_here
from dynprobe.spec.calls import parse_shapes
from dynprobe.spec.model import Options, Probe
from dynprobe.spec.target import parse_target

HOSTILE = Path(__file__).parent / "hostile"


def plain(x):
    return torch.sin(x) + 1


def outcomes(report: dynprobe.Report) -> list[str]:
    return [call.outcome for call in report.calls]


def test_importing_dynprobe_imports_nothing_slow() -> None:
    code = (
        "import sys, dynprobe; dynprobe.Call(args=(1,));"
        "print(sorted({'torch', 'jax', 'numpy', 'pydantic', 'rich'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_public_names_are_there() -> None:
    for name in dynprobe.__all__:
        assert getattr(dynprobe, name) is not None
        assert name in dir(dynprobe)
    assert dynprobe.Report.__name__ == "Report"
    with pytest.raises(AttributeError, match="has no attribute 'explian'"):
        dynprobe.explian  # noqa: B018


def test_the_forms_of_a_call() -> None:
    x = torch.randn(4)
    calls = [x, ((x,), {}), dynprobe.Call((torch.randn(5),), label="longer")]
    report = dynprobe.explain(plain, calls)
    assert outcomes(report) == ["capture", "hit", "recompile"]
    assert [call.label for call in report.calls] == [None, None, "longer"]
    assert (report.target.name, report.target.file) == ("plain", __file__)
    assert report.settings.in_process is True
    assert report.end.complete


def test_options_reach_the_compiler() -> None:
    report = dynprobe.explain(
        plain, [torch.randn(4), torch.randn(5)], dynamic=True, repeat=2, graph_code=True
    )
    assert outcomes(report) == ["capture", "hit", "hit", "hit"]
    assert (report.settings.dynamic, report.settings.repeat) == ("true", 2)
    assert "sin" in report.frames[0].entries[0].graph.code


def test_what_the_function_prints_goes_where_the_caller_prints(capsys) -> None:
    def loud(x):
        print("by the function")
        return x + 1

    dynprobe.explain(loud, [torch.ones(3)])
    assert capsys.readouterr().out == "by the function\n"


def test_an_exception_is_in_the_report() -> None:
    def fails(x):
        raise ValueError("no such mode")

    report = dynprobe.explain(fails, [torch.ones(3)])
    (call,) = report.calls
    assert (call.error.type, call.error.message) == ("ValueError", "no such mode")
    assert call.error.eager_raises is True


def test_an_interrupt_passes_and_leaves_dynamo_usable() -> None:
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dynprobe.explain(interrupted, [torch.ones(3)])
    assert outcomes(dynprobe.explain(plain, [torch.ones(3)])) == ["capture"]


@pytest.mark.parametrize(
    ("fn", "calls", "error", "said"),
    [
        (3, [1], TargetError, "fn is 3, which cannot be called"),
        (plain, [], InputError, "calls gives no calls"),
        (plain, torch.ones(2), InputError, "no list of calls"),
        (plain, [((1, 2), {})], TargetError, r"plain\(x\) takes 1 argument, call 0 gives 2"),
    ],
)
def test_what_is_wrong_is_said(fn, calls, error, said) -> None:
    with pytest.raises(error, match=said):
        dynprobe.explain(fn, calls)


def disturbs(x):
    warnings.simplefilter("error")
    random.random()
    np.random.rand()
    return torch.nn.functional.dropout(x * torch.rand(3))


def test_the_process_is_left_as_it_was_found() -> None:
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    found = state()
    dynprobe.explain(disturbs, [torch.ones(3), torch.ones(3)], recompile_limit=2, grad=False)
    left = state()
    assert left.keys() == found.keys()
    for name, value in found.items():
        assert left[name] == value, name


def state() -> dict[str, object]:
    return {
        "config": config.save_config(),
        "counters": {name: dict(counter) for name, counter in counters.items()},
        "filters": list(warnings.filters),
        "random": random.getstate(),
        "numpy": np.random.get_state()[1].tolist(),
        "torch": torch.get_rng_state().tolist(),
        "grad": torch.is_grad_enabled(),
        "stdout": sys.stdout,
        "path": list(sys.path),
    }


def test_the_callers_own_compilations_stay() -> None:
    captured = []

    def backend(module, inputs):
        captured.append(module)
        return module.forward

    def own(x):
        return torch.cos(x) * 2

    compiled = torch.compile(own, backend=backend)
    compiled(torch.ones(3))
    report = dynprobe.explain(own, [torch.ones(3), torch.ones(4)])
    assert outcomes(report) == ["capture", "recompile"]
    compiled(torch.ones(3))
    assert len(captured) == 1
    compiled(torch.ones(4))
    assert len(captured) == 2


def test_a_second_observation_is_like_the_first() -> None:
    first, second = (dynprobe.explain(plain, [torch.ones(3), torch.ones(4)]) for _ in range(2))
    assert first.calls == second.calls
    assert first.frames == second.frames


def test_a_modules_mode_is_put_back() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout())
    module[1].eval()
    report = dynprobe.explain(module, [torch.ones(2, 3)], train=False)
    assert report.settings.train is False
    assert [part.training for part in module.modules()] == [True, True, False]


def probe_of(name: str, shapes: str) -> Probe:
    target = parse_target(f"{HOSTILE / 'torch_targets.py'}:{name}")
    return Probe(target=target, calls=tuple(parse_shapes(shapes)), options=Options())


def test_a_probe_in_this_process() -> None:
    seen = []
    report = observe_here(probe_of("plain", "4,5"), on_event=lambda event: seen.append(event.event))
    assert outcomes(report) == ["capture", "recompile"]
    assert seen == ["started", "loaded", *["began", "patch"] * 2, "finished"]


def test_an_interrupted_probe_in_this_process_keeps_its_facts() -> None:
    report = observe_here(probe_of("raises", "4,7,4"))
    assert (report.end.kind, report.end.message) == ("interrupted", "call 1 was interrupted")
    assert [(call.index, call.outcome) for call in report.calls] == [(0, "capture"), (1, "error")]


def test_a_probe_that_cannot_be_loaded_raises() -> None:
    with pytest.raises(TargetError, match="has no 'nothing'"):
        observe_here(probe_of("nothing", "4"))


def test_the_line_that_calls_dynprobe_is_not_where_a_library_breaks():
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Adam([weight])
    weight.grad = torch.ones(2)
    report = dynprobe.explain(optimizer.step, [((), {})])
    (site,) = report.graph_breaks
    assert site.file.endswith("torch/optim/optimizer.py")
    assert site.near is None
