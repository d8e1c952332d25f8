"""Every form a target may have, and where it is found."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from dynprobe.errors import TargetError
from dynprobe.observe.target.load import LoadedTarget, describe, load_target
from dynprobe.spec.model import Options
from dynprobe.spec.target import parse_target

NETS = """
import functools
import torch
from torch import nn

def fn(x):
    return x.sin()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(2, 2)

    def forward(self, x):
        return self.proj(x)

    def encode(self, x):
        return x

    @staticmethod
    def scale(x):
        return x * 2

    @classmethod
    def shift(cls, x):
        return x + 1

class Compiled(nn.Module):
    @torch.compile(backend="eager")
    def forward(self, x):
        return x

class Scaler:
    def __call__(self, x):
        return x

    def apply(self, x):
        return x

@torch.no_grad()
def quiet(x):
    return x

def make():
    return Net()

net = Net()
half = functools.partial(fn)
double = lambda x: x * 2
fast = torch.compile(fn, backend="aot_eager", dynamic=True, fullgraph=True)
tuned = torch.compile(fn, mode="reduce-overhead")
fast_net = torch.compile(Net(), backend="eager")
in_place = Net()
in_place.compile(backend="eager")
off = torch.compiler.disable(fn)
scaler = Scaler()
"""

Load = Callable[..., LoadedTarget]


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    path, modules, here = list(sys.path), dict(sys.modules), os.getcwd()
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        if not name.startswith(("torch", "numpy")):
            del sys.modules[name]
    os.chdir(here)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    (tmp_path / "nets.py").write_text(NETS)

    def load(steps: str, **options: object) -> LoadedTarget:
        spec = parse_target(f"{tmp_path / 'nets.py'}:{steps}")
        return load_target(spec, Options(**options))  # type: ignore[arg-type]

    return load


@pytest.mark.parametrize(
    ("steps", "kind", "innermost"),
    [
        ("fn", "function", "fn"),
        ("double", "function", "<lambda>"),
        ("quiet", "function", "quiet"),
        ("off", "function", "fn"),
        ("half", "callable", "fn"),
        ("scaler", "callable", "__call__"),
        ("Scaler", "callable", "__call__"),
        ("Scaler.apply", "method", "apply"),
        ("net", "module", "forward"),
        ("Net", "module", "forward"),
        ("make()", "module", "forward"),
        ("net.encode", "method", "encode"),
        ("Net.encode", "method", "encode"),
        ("Net().encode", "method", "encode"),
        ("Net.scale", "function", "scale"),
        ("Net.shift", "method", "shift"),
        ("fast", "compiled", "fn"),
        ("fast_net", "compiled", "forward"),
        ("in_place", "compiled", "forward"),
        ("Compiled", "compiled", "forward"),
    ],
)
def test_form(load: Load, steps: str, kind: str, innermost: str) -> None:
    loaded = load(steps)
    assert loaded.kind == kind
    assert loaded.name == steps
    assert loaded.code is not None
    assert loaded.code.co_name == innermost
    assert loaded.file is not None
    assert loaded.file.endswith("nets.py")
    assert loaded.report().line == loaded.code.co_firstlineno
    value = torch.ones(2)
    assert isinstance(loaded.callable(value) if kind != "compiled" else value, torch.Tensor)


def test_the_line_is_the_one_in_the_file(load: Load) -> None:
    assert load("fn").line == NETS.splitlines().index("def fn(x):") + 1


@pytest.mark.parametrize("steps", ["net", "Net", "net.encode", "fast_net", "in_place", "make()"])
def test_module_under_any_wrapper(load: Load, steps: str) -> None:
    loaded = load(steps)
    assert type(loaded.module).__name__ == "Net"


def test_a_function_has_no_module(load: Load) -> None:
    assert load("fn").module is None


def test_options_of_what_is_compiled_are_read(load: Load) -> None:
    assert load("fast").compile_options == {
        "backend": "aot_eager",
        "dynamic": "true",
        "fullgraph": "true",
    }
    assert load("fast_net").compile_options == {
        "backend": "eager",
        "dynamic": "auto",
        "fullgraph": "false",
    }
    assert load("in_place").compile_options["backend"] == "eager"
    assert load("Compiled").compile_options["backend"] == "eager"
    assert load("tuned").compile_options == {
        "backend": "inductor",
        "dynamic": "auto",
        "fullgraph": "false",
        "mode": "reduce-overhead",
    }
    assert load("fn").compile_options == {}


def test_a_copy_of_a_compiled_functions_attributes_is_not_compiled(load: Load) -> None:
    import functools

    fast = load("fast").callable

    @functools.wraps(fast)
    def around(x: torch.Tensor) -> torch.Tensor:
        return x

    assert not describe(around).compiled


def test_compiled_bound_method_and_partial(load: Load) -> None:
    import functools

    net = load("Compiled").callable
    assert describe(net.forward).compiled
    assert describe(functools.partial(load("fast").callable)).compiled


def test_factory(load: Load) -> None:
    assert load("make").kind == "function"
    assert load("make", factory=True).kind == "module"


@pytest.mark.parametrize("steps", ["net", "net.encode", "fast_net"])
def test_train_and_eval_reach_the_module(load: Load, steps: str) -> None:
    loaded = load(steps, train=False)
    assert loaded.module is not None
    assert not loaded.module.training
    assert not loaded.module.proj.training  # type: ignore[union-attr]
    loaded = load(steps, train=True)
    assert loaded.module is not None
    assert loaded.module.training


def test_eval_of_a_function_has_nothing_to_set(load: Load) -> None:
    with pytest.raises(TargetError, match=r"fn is no nn.Module, so --eval has nothing to set"):
        load("fn", train=False)


def test_describe_names_an_object_that_came_without_a_text() -> None:
    assert describe(torch.sin).name == "sin"
    assert describe(torch.sin).code is None
    assert describe(torch.nn.Linear(1, 1)).name == "Linear"
    assert describe(torch.nn.Linear(1, 1).forward).name == "Linear.forward"
    assert describe(torch.compile(torch.nn.Linear(1, 1), backend="eager")).name == "Linear"
