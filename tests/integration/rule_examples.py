"""Runs what `examples/rules/` holds: an example as it is, and after each of its fixes."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch

import dynprobe
from dynprobe import Report
from dynprobe.diagnose.rules import Rule
from dynprobe.diagnose.rules.page import page

EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"


class Case(NamedTuple):
    """What is run. `calls` makes the calls anew; `command` are words for `dynprobe explain`."""

    module: ModuleType
    target: Any
    calls: Any
    options: dict[str, Any]
    command: list[str] | None
    setup: Any = None


def path_of(rule: Rule) -> Path:
    return EXAMPLES / f"{rule.id.replace('-', '_')}.py"


def load(rule: Rule) -> ModuleType:
    """Anew each time: an example may change its own globals."""
    spec = importlib.util.spec_from_file_location("example", path_of(rule))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["example"] = module
    with options_of_later():
        spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def options_of_later() -> Iterator[None]:
    """Where this torch's `compile` has not an option that one of an example's fixes is about, what
    it would give raises when it is called, not while the example is loaded."""
    plain = torch.compile

    def compiled(*args: Any, **options: Any) -> Any:
        try:
            return plain(*args, **options)
        except TypeError as error:
            if "unexpected keyword argument" not in str(error):
                raise
            return functools.partial(_raise, error)

    torch.compile = compiled
    try:
        yield
    finally:
        torch.compile = plain


def _raise(error: Exception, *_: Any, **__: Any) -> None:
    raise error


def case_before(rule: Rule) -> Case:
    module = load(rule)
    options = getattr(module, "OPTIONS", {})
    return Case(module, module.before, module.calls, options, getattr(module, "COMMAND", None))


def case_after(rule: Rule, key: str) -> tuple[Case, dict[str, Any]]:
    """The case, and what its fix says is still right after it."""
    case = case_before(rule)
    change = dict(case.module.FIXES[key])
    said = {name: change.pop(name) for name in ("recompiles", "breaks", "same") if name in change}
    target, calls = change.pop("target", case.target), change.pop("calls", case.calls)
    setup = change.pop("setup", None)
    after = case._replace(
        target=target, calls=calls, setup=setup, options={**case.options, **change}
    )
    return after, said


@contextlib.contextmanager
def config_kept() -> Iterator[None]:
    """torch's own settings, which a fix may change for good."""
    from torch.fx.experimental import _config as shapes

    configs = (torch._dynamo.config, torch.compiler.config, shapes)
    kept = [(config, config.get_config_copy()) for config in configs]
    torch._dynamo.reset()
    try:
        yield
    finally:
        with warnings.catch_warnings(action="ignore"):  # of settings that are going away
            for config, values in kept:
                config.load_config(values)
        torch._dynamo.reset()


def observed(case: Case) -> Report:
    with config_kept():
        if case.command is not None:
            return commanded(case)
        if case.setup is not None:
            case.setup()
        return dynprobe.explain(case.target, case.calls(), **case.options)


def commanded(case: Case) -> Report:
    """The same by the command, in a process of its own."""
    file = case.module.__file__
    assert case.command is not None
    words = ["explain", f"{file}:{case.target.__name__}"]
    words += ["--inputs", f"{file}:{case.calls.__name__}", *case.command]
    if case.setup is not None:
        words += ["--setup", f"{file}:{case.setup.__name__}"]
    for name, value in case.options.items():
        words += [f"--{name.replace('_', '-')}", str(value).lower()]
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "report.json"
        words += ["-o", str(saved)]
        subprocess.run([sys.executable, "-m", "dynprobe", *words], capture_output=True, timeout=120)
        return Report.model_validate(json.loads(saved.read_text()))


def by_torch(case: Case) -> int:
    """How many graphs torch compiles for the case, by its own counter and without dynprobe. A
    target that is compiled already is called as it is."""
    from torch._dynamo.utils import counters

    counters.clear()
    with config_kept():
        if case.setup is not None:
            case.setup()
        settings = {k: v for k, v in case.options.items() if k in ("dynamic", "fullgraph")}
        limit = case.options.get("recompile_limit")
        patch = {"recompile_limit": limit} if limit else {}
        with torch._dynamo.config.patch(**patch):
            compiled = case.target
            if not hasattr(compiled, "_torchdynamo_orig_callable"):
                compiled = torch.compile(case.target, backend="eager", **settings)
            for call in calls_of(case):
                with contextlib.suppress(Exception), made(call):
                    compiled(*call.args, **call.kwargs)
    return int(counters["stats"]["unique_graphs"])


def calls_of(case: Case) -> list[dynprobe.Call]:
    return [c if isinstance(c, dynprobe.Call) else as_call(c) for c in case.calls()]


def as_call(value: Any) -> dynprobe.Call:
    pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict)
    return dynprobe.Call(*value) if pair else dynprobe.Call((value,))


@contextlib.contextmanager
def made(call: dynprobe.Call) -> Iterator[None]:
    if call.before is not None:
        call.before()
    with call.around() if call.around is not None else contextlib.nullcontext():
        yield


def results(case: Case, *, compiled: bool) -> list[Any]:
    with config_kept():
        if case.setup is not None:
            case.setup()
        target = torch.compile(case.target, backend="eager") if compiled else case.target
        found = []
        for call in calls_of(case):
            torch.manual_seed(0)
            with made(call):
                found.append(target(*call.args, **call.kwargs))
        return found


def page_of(rule: Rule, report: Report | None = None) -> str:
    """The rule's page. `report` is that of its example as it is."""
    report = report or observed(case_before(rule))
    finding = next(found for found in report.findings if found.rule == rule.id)
    return page(rule, example=path_of(rule).read_text(encoding="utf-8"), finding=finding)
