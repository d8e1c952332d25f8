"""Targets of every form are called after what the user wrote, and so are their arguments."""

from __future__ import annotations

import functools

import pytest
import torch

import dynprobe


def base(a, x, k=2):
    return a * x + k


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(4, 4)
        self.register_buffer("mean", torch.zeros(4))
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(2)])

    def forward(self, x):
        x = self.proj(x) - self.mean
        for layer in self.layers:
            x = layer(x)
        return x

    def encode(self, x):
        return self.proj(x).relu()


class Wrapped(torch.nn.Module):
    """A decorator that says what it wraps stands between the caller and the method."""

    @torch.no_grad()
    def forward(self, x, *, scale=2):
        return x * scale


def twice(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) * 2

    return wrapper


@twice
def decorated(signal, gain=1.0):
    return signal * gain


def calls(*sizes):
    return [torch.ones(n, 4) for n in sizes]


def recompile_source(report):
    return report.recompiles[0].against[0].failed[0].source


NAMES = [
    (functools.partial(base, 3, k=5), "base", "x.shape[0]"),
    (Scaled(2), "Scaled.__call__", "x.shape[0]"),
    (Net(), "Net.forward", "x.shape[0]"),
    (Net().encode, "Net.encode", "x.shape[0]"),
    (torch.nn.Linear(4, 4), "Linear.forward", "input.shape[0]"),
    (torch.sin, "sin", "args[0].shape[0]"),
    (decorated, "decorated", "signal.shape[0]"),
    (Wrapped(), "Wrapped.forward", "x.shape[0]"),
]


@pytest.mark.parametrize(("target", "frame", "source"), NAMES, ids=[n for _, n, _ in NAMES])
def test_names(target, frame, source):
    report = dynprobe.explain(target, calls(2, 3))
    assert [c.outcome for c in report.calls] == ["capture", "recompile"]
    assert {f.function for f in report.frames} == {frame}
    assert recompile_source(report) == source


def test_parameters_and_buffers():
    report = dynprobe.explain(Net(), calls(2))
    sources = {g.source for g in report.frames[0].entries[0].guards if g.origin == "user"}
    assert {"self.proj.weight", "self.proj.bias", "self.mean", "self.layers[1].weight"} <= sources
    assert not any("_modules" in s or "_parameters" in s for s in sources)


def test_a_changed_attribute_of_a_submodule():
    net = Net()

    def shrink():
        net.layers[1] = torch.nn.Linear(4, 4, bias=False)

    report = dynprobe.explain(net, [*calls(2), dynprobe.Call(calls(2), before=shrink)])
    assert report.calls[1].outcome == "recompile"
    failed = report.recompiles[0].against[0].failed
    assert any(row.source.startswith("self.layers[1]") for row in failed)
    near = [row.near.text for row in failed if row.near]
    assert "x = layer(x)" in near


def test_already_compiled_keeps_its_own_options():
    compiled = torch.compile(base, backend="aot_eager", dynamic=True)
    report = dynprobe.explain(compiled, [((torch.ones(n), torch.ones(n)), {}) for n in (4, 5)])
    assert [c.outcome for c in report.calls] == ["capture", "hit"]
    assert report.target.kind == "compiled"
    assert (report.settings.backend, report.settings.dynamic) == ("aot_eager", "true")
    dims = report.frames[0].entries[0].dynamic_dims
    assert {d.reason for d in dims} == {"dynamic=True"}


def test_marked_dimensions():
    report = dynprobe.explain(base, [((2.0, torch.ones(n)), {}) for n in (4, 5)],
                              mark_dynamic=[("x", 0)])  # fmt: skip
    assert [c.outcome for c in report.calls] == ["capture", "hit"]
    (dim,) = report.frames[0].entries[0].dynamic_dims
    assert (dim.source, dim.dim, dim.low, dim.high, dim.reason) == ("x", 0, 2, None, "marked")


def test_globals_closures_and_values():
    scale = 2

    def scaled(x, mode):
        return x * scale * FACTOR + len(mode)

    def change():
        nonlocal scale
        global FACTOR
        scale, FACTOR = 3, 4

    report = dynprobe.explain(
        scaled,
        [((torch.ones(2), "a"), {}), dynprobe.Call((torch.ones(2), "bb"), before=change)],
    )
    rows = {r.source: (r.expected, r.actual) for r in report.recompiles[0].against[0].failed}
    assert rows["closure scale"] == ("2", "3")
    assert rows["global FACTOR"] == ("1", "4")
    assert rows["mode"] == ("'a'", "'bb'")


FACTOR = 1
