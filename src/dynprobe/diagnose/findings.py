"""What in a report is worth acting on: pure functions of the report, a rule each."""

from __future__ import annotations

from collections.abc import Iterator

from dynprobe.report import Finding, Report

from .breaks import break_findings
from .recompiles import recompile_findings
from .rules import REPORT_RULES
from .rules.page import page_path

_ORDER = {"error": 0, "warning": 1, "note": 2}


def find(report: Report) -> tuple[Finding, ...]:
    """All findings of a report, worst first, each with a page to read: torch's of its kind of
    break, else its rule's."""
    every = sorted(_all(report), key=lambda finding: _ORDER[finding.severity])
    return tuple(f if f.url else f.model_copy(update={"url": page_path(f.rule)}) for f in every)


def _all(report: Report) -> Iterator[Finding]:
    for rule in REPORT_RULES:
        yield from rule.find(rule, report)
    yield from break_findings(report)
    yield from recompile_findings(report)
