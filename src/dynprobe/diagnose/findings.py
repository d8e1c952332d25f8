"""What in a report is worth acting on: pure functions of the report, a rule each."""

from __future__ import annotations

from collections.abc import Iterator

from dynprobe.report import Finding, Report

from .breaks import break_findings
from .recompiles import recompile_findings
from .rules import REPORT_RULES

_ORDER = {"error": 0, "warning": 1, "note": 2}


def find(report: Report) -> tuple[Finding, ...]:
    """All findings of a report, worst first."""
    return tuple(sorted(_all(report), key=lambda finding: _ORDER[finding.severity]))


def _all(report: Report) -> Iterator[Finding]:
    for rule in REPORT_RULES:
        yield from rule.find(rule, report)
    yield from break_findings(report)
    yield from recompile_findings(report)
