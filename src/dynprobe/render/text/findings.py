"""Findings: what is worth doing, worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.diagnose.words import in_words
from dynprobe.render.base import View
from dynprobe.report import Finding, Report, Severity

from .style import DIM, NAME, PLACE, WRONG, line
from .wrap import fold

_SEVERITY: Final[dict[Severity, str]] = {"error": WRONG, "warning": "yellow", "note": ""}
_TOLD = 8
_OF_A_RULE = 3  # where there are more than `_TOLD`


def findings(report: Report, view: View) -> list[Text]:
    lines: list[Text] = []
    shown = report.findings if view.verbose else _shown(report.findings)
    told: set[str] = set()
    for found in shown:
        lines += _finding(found, told, report, view)
    if left := Counter(f.rule for f in report.findings) - Counter(f.rule for f in shown):
        rules = ", ".join(f"{rule} ×{n:,}" if n > 1 else rule for rule, n in left.items())
        said = line("  ", (f"and {left.total():,} more: {rules} (-v shows all)", DIM))
        lines += fold(said, view.width, hang=4)
    if rule := next((found.rule for found in shown if found.advice), None):
        more = line((f"more about a rule: dynprobe rule {rule}", DIM))
        lines += fold(more, view.width, indent=2)
    return lines


def _shown(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Of many, a few of each rule: one that holds at hundreds of places does not hide another."""
    if len(findings) <= _TOLD:
        return findings
    seen: Counter[str] = Counter()
    shown = []
    for found in findings:
        seen[found.rule] += 1
        if seen[found.rule] <= _OF_A_RULE:
            shown.append(found)
    return shown[:_TOLD]


def _finding(found: Finding, told: set[str], report: Report, view: View) -> Iterator[Text]:
    """`told` has the fixes that were named already: nobody reads them twice."""
    where = place(found.file, found.line, report.cwd) if found.file else ""
    head = line(
        (found.severity, _SEVERITY[found.severity]), " ", (found.rule, NAME), "  ", found.message,
        "  ", (where, PLACE),
    )  # fmt: skip
    yield from fold(head, view.width, indent=2, hang=4)
    if view.verbose and found.calls:
        yield from fold(line((in_words(found.calls, "call"), DIM)), view.width, indent=6)
    new = [fix for fix in found.advice.splitlines() if view.verbose or fix not in told]
    told.update(new)
    if found.advice and not new:
        yield from fold(line(("what to do: as above", DIM)), view.width, indent=6)
    yield from advice(found, new, view, indent=6)


def advice(found: Finding, fixes: Sequence[str], view: View, *, indent: int) -> Iterator[Text]:
    """Of what the finding advises `fixes`, one a line."""
    for fix in fixes:
        yield from fold(line("- ", fix), view.width, indent=indent)
    if found.url and view.verbose and "://" in found.url:  # `dynprobe rule` prints the others
        yield from fold(line((found.url, DIM)), view.width, indent=indent)


def in_short(found: Finding, view: View) -> Text:
    """The first thing to do, for a section above; Findings has the others."""
    fixes = found.advice.splitlines()
    if view.verbose or len(fixes) < 2:
        return line("; ".join(fixes))
    return line(fixes[0], (f" ({len(fixes) - 1} more under Findings, {found.rule})", DIM))
