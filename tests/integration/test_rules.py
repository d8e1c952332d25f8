"""Each rule on real torch: its example has the finding, and each of its fixes takes it away.

What torch itself compiled is counted without dynprobe, by a backend of the test's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from rule_examples import (
    EXAMPLES,
    by_torch,
    case_after,
    case_before,
    load,
    observed,
    page_of,
    path_of,
    results,
)

import dynprobe
from dynprobe import Report
from dynprobe.diagnose.rules import RULES, BreakRule, CauseRule
from dynprobe.diagnose.rules.base import advised
from dynprobe.diagnose.rules.page import index

THIS_TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])
MEASURED = "2.13"  # the pages show what this version does
BY_ID = {rule.id: rule for rule in RULES}
PAGES = Path(__file__).parents[2] / "docs" / "rules"


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
def test_the_example_has_the_finding(rule):
    case = case_before(rule)
    report = observed(case)
    assert report.unknown == ()
    found = [finding for finding in report.findings if finding.rule == rule.id]
    assert found, f"{rule.id} is not among {rule_ids(report)}"
    assert bool(found[0].advice) == any(fix.since <= THIS_TORCH for fix in rule.fixes)
    assert "{" not in found[0].advice + found[0].message
    if isinstance(rule, CauseRule):
        assert report.counters.recompiles + report.counters.fallbacks > 0
    if case.command is None:
        assert report.counters.unique_graphs == by_torch(case_before(rule))
    if torch.__version__.startswith(MEASURED):
        written = (PAGES / f"{rule.id}.md").read_text(encoding="utf-8")
        assert written == page_of(rule, report), "python scripts/rules.py writes it anew"


def test_every_page_has_its_rule():
    assert {path.stem for path in PAGES.glob("*.md")} == {*BY_ID, "README"}
    assert (PAGES / "README.md").read_text(encoding="utf-8") == index(RULES)


@pytest.mark.parametrize(("rule", "key"), fixes())
def test_the_fix_takes_it_away(rule, key):
    case, said = case_after(rule, key)
    report = observed(case)
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
