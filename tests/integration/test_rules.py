"""Each rule on real torch: its example has the finding, and each of its fixes takes it away.

What torch itself compiled is counted without dynprobe, by a backend of the test's own."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch

import dynprobe
from dynprobe import Report
from dynprobe.diagnose.rules import RULES, BreakRule, CauseRule, Rule
from dynprobe.diagnose.rules.base import advised

EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"
THIS_TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])
BY_ID = {rule.id: rule for rule in RULES}


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
    spec.loader.exec_module(module)
    return module


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

    kept = [(config, config.get_config_copy()) for config in (torch._dynamo.config, shapes)]
    torch._dynamo.reset()
    try:
        yield
    finally:
        for config, values in kept:
            config.load_config(values)
        torch._dynamo.reset()


def observed(case: Case, tmp_path: Path) -> Report:
    with config_kept():
        if case.command is not None:
            return commanded(case, tmp_path)
        if case.setup is not None:
            case.setup()
        return dynprobe.explain(case.target, case.calls(), **case.options)


def commanded(case: Case, tmp_path: Path) -> Report:
    """The same by the command, in a process of its own."""
    file = case.module.__file__
    assert case.command is not None
    words = ["explain", f"{file}:{case.target.__name__}"]
    words += ["--inputs", f"{file}:{case.calls.__name__}", *case.command]
    if case.setup is not None:
        words += ["--setup", f"{file}:{case.setup.__name__}"]
    for name, value in case.options.items():
        words += [f"--{name.replace('_', '-')}", str(value).lower()]
    saved = tmp_path / "report.json"
    words += ["-o", str(saved)]
    subprocess.run([sys.executable, "-m", "dynprobe", *words], capture_output=True, timeout=120)
    return Report.model_validate(json.loads(saved.read_text()))


def by_torch(case: Case) -> int:
    """How many graphs torch compiles for the case, counted without dynprobe."""
    from torch._dynamo.testing import CompileCounter

    counter = CompileCounter()
    with config_kept():
        if case.setup is not None:
            case.setup()
        settings = {k: v for k, v in case.options.items() if k in ("dynamic", "fullgraph")}
        limit = case.options.get("recompile_limit")
        patch = {"recompile_limit": limit} if limit else {}
        with torch._dynamo.config.patch(**patch):
            compiled = torch.compile(case.target, backend=counter, **settings)
            for call in calls_of(case):
                with contextlib.suppress(Exception), made(call):
                    compiled(*call.args, **call.kwargs)
    return counter.frame_count


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


def rule_ids(report: Report) -> list[str]:
    return [finding.rule for finding in report.findings]


def fixes() -> list[Any]:
    return [
        pytest.param(rule, fix.key, id=f"{rule.id}-{fix.key}")
        for rule in RULES
        for fix in rule.fixes
        if fix.since <= THIS_TORCH
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_fix_has_its_example(rule):
    assert path_of(rule).exists(), f"no example of {rule.id}"
    assert list(load(rule).FIXES) == [fix.key for fix in rule.fixes]


def test_no_example_without_a_rule():
    files = {path.stem.replace("_", "-") for path in EXAMPLES.glob("*.py")}
    assert files == set(BY_ID)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_example_has_the_finding(rule, tmp_path):
    case = case_before(rule)
    report = observed(case, tmp_path)
    assert report.unknown == ()
    found = [finding for finding in report.findings if finding.rule == rule.id]
    assert found, f"{rule.id} is not among {rule_ids(report)}"
    assert bool(found[0].advice) == bool(rule.fixes)
    assert "{" not in found[0].advice + found[0].message
    if isinstance(rule, CauseRule):
        assert report.counters.recompiles + report.counters.fallbacks > 0
    if case.command is None:
        assert report.counters.unique_graphs == by_torch(case_before(rule))


@pytest.mark.parametrize(("rule", "key"), fixes())
def test_the_fix_takes_it_away(rule, key, tmp_path):
    case, said = case_after(rule, key)
    report = observed(case, tmp_path)
    assert rule.id not in rule_ids(report)
    assert [call.error for call in report.calls if call.error] == []
    counters = report.counters
    assert counters.recompiles + counters.fallbacks == said.get("recompiles", 0)
    if isinstance(rule, BreakRule):
        assert counters.graph_break_count == said.get("breaks", 0)
        assert counters.skips == 0
    if case.command is None:
        assert counters.unique_graphs == by_torch(case_after(rule, key)[0])


@pytest.mark.parametrize(("rule", "key"), fixes())
def test_the_fix_computes_the_same(rule, key):
    case, said = case_after(rule, key)
    if said.get("same", True):
        plain = results(case_before(rule), compiled=False)
        torch.testing.assert_close(results(case, compiled=True), plain)


def test_advice_that_this_torch_has_not_is_not_given():
    old = dynprobe.explain(torch.sin, [torch.ones(1)])
    older = old.environment.model_copy(update={"torch": "1.0.0"})
    report = old.model_copy(update={"environment": older})
    for rule in RULES:
        assert advised(rule, report) == ""
