"""Reports that an earlier version saved are still read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynprobe.cli.app import run
from dynprobe.report import Report

SAVED = sorted((Path(__file__).parents[2] / "fixtures").glob("report_*.json"))


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_it_is_shown(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = Report.model_validate_json(path.read_text(encoding="utf-8"))
    assert run(["show", str(path), "-v", "--all-guards", "--width", "120"]) == 0
    shown = capsys.readouterr().out
    assert report.verdict is not None
    assert report.verdict.text.partition(";")[0] in shown
    assert report.findings
    for finding in report.findings:  # as they were judged then
        assert finding.rule in shown
    for row in report.recompiles[0].against[0].failed:
        assert f"{row.expected} → {row.actual}" in shown
    assert report.graph_breaks[0].kind in shown


def test_there_is_one() -> None:
    assert SAVED
