"""`dynprobe rule`: a list, a page, and a name that is none."""

from __future__ import annotations

import pytest

from dynprobe.cli.app import run
from dynprobe.diagnose.rules import RULES
from dynprobe.errors import ExitCode


def test_the_list_has_every_rule(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rule"]) == ExitCode.OK
    out = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in out] == [rule.id for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_page_says_what_helps(rule, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", rule.id]) == ExitCode.OK
    out = capfd.readouterr().out
    assert out.startswith(f"# {rule.id}\n")
    assert rule.why.strip() in out
    assert all(f"- `{fix.key}`: " in out for fix in rule.fixes)


def test_a_name_that_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", "size-recompiles"]) == ExitCode.USAGE
    assert "did you mean size-recompile?" in capfd.readouterr().err


def test_ids_are_unique_and_fixes_are_read() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        keys = [fix.key for fix in rule.fixes]
        assert len(set(keys)) == len(keys), rule.id
        assert not rule.title.endswith("."), rule.id
        assert not any(fix.text.endswith(".") or "\n" in fix.text for fix in rule.fixes), rule.id
