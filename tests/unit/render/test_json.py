"""The JSON report: valid for its schema, with the names that scripts rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dynprobe.render import View, renderer
from dynprobe.report import Report
from dynprobe.report.schema import report_schema, report_schema_text

_NAMES = """
schema_version target.spec target.name target.file target.line environment.torch environment.jax
environment.python settings counters.calls_captured counters.unique_graphs
counters.graph_break_count counters.recompiles counters.fallbacks counters.skips calls[].index
calls[].label calls[].inputs calls[].outcome calls[].calls_captured calls[].unique_graphs
calls[].graphs_compiled calls[].graph_runs calls[].ops_run calls[].breaks_crossed calls[].reason
calls[].error calls[].frames calls[].frames[].function calls[].frames[].file calls[].frames[].line
calls[].frames[].compile_id calls[].frames[].outcome calls[].jax recompiles[].call
recompiles[].frame recompiles[].compile_id recompiles[].against[].compile_id
recompiles[].against[].torch_says recompiles[].against[].failed[].source
recompiles[].against[].failed[].kind recompiles[].against[].failed[].expected
recompiles[].against[].failed[].actual recompiles[].against[].failed[].file
recompiles[].against[].failed[].line graph_breaks[].file graph_breaks[].line
graph_breaks[].function graph_breaks[].kind graph_breaks[].gb_id graph_breaks[].effect
graph_breaks[].at_capture graph_breaks[].crossed graph_breaks[].explanation graph_breaks[].hints
frames[].entries[].compile_id frames[].entries[].guards frames[].entries[].graph
frames[].entries[].dynamic_dims jax findings verdict
"""
NAMES = _NAMES.split()


def as_json(report: Report) -> str:
    return renderer("json").render(report, View())


def found(value: object, name: str) -> list[object]:
    """All values under a dotted name; `[]` goes into each item."""
    values = [value]
    for step in name.split("."):
        key = step.removesuffix("[]")
        values = [v[key] for v in values]  # type: ignore[index]
        if step.endswith("[]"):
            values = [item for v in values for item in v]  # type: ignore[attr-defined]
    return values


@pytest.mark.parametrize("name", NAMES)
def test_scripts_find(canonical: Report, name: str) -> None:
    assert found(json.loads(as_json(canonical)), name)


def test_the_schema_is_a_schema_and_the_report_is_valid(canonical: Report) -> None:
    Draft202012Validator.check_schema(report_schema())
    validator = Draft202012Validator(report_schema())
    assert list(validator.iter_errors(json.loads(as_json(canonical)))) == []


@pytest.mark.parametrize("key", ["calls", "verdict", "schema_version", "end"])
def test_a_report_without_a_key_is_not_valid(canonical: Report, key: str) -> None:
    value = json.loads(as_json(canonical))
    del value[key]
    assert not Draft202012Validator(report_schema()).is_valid(value)


def test_the_schema_text_is_stable() -> None:
    assert report_schema_text() == report_schema_text()
    assert json.loads(report_schema_text()) == report_schema()
    assert "$id" not in report_schema()


def test_saved_and_read_it_is_the_same_report(canonical: Report, canonical_path: Path) -> None:
    text = as_json(canonical)
    assert text == canonical_path.read_text(encoding="utf-8"), "run tests/fixtures/canonical.py"
    read = Report.model_validate_json(text)
    assert as_json(read) == text
    for width in (60, 120):
        view = View(width=width, verbose=True, all_guards=True)
        assert renderer("text").render(read, view) == renderer("text").render(canonical, view)


def test_numbers_that_json_lacks_are_strings(canonical: Report) -> None:
    def refuse(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    value = json.loads(as_json(canonical), parse_constant=refuse)
    assert found(value, "frames[].entries[].dynamic_dims[].high") == [None, "Infinity"]


def test_a_name_that_is_not_utf8_is_written_out(canonical: Report) -> None:
    target = canonical.target.model_copy(update={"file": "/w/\udcff.py"})
    text = as_json(canonical.model_copy(update={"target": target}))
    assert json.loads(text)["target"]["file"] == r"/w/\udcff.py"
