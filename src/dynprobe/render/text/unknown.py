"""What could not be read, what was found worth doing, and an end before the end."""

from __future__ import annotations

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.render.base import View
from dynprobe.report import Report

from .style import DIM, NAME, PLACE, WRONG, line, lines_of, prose
from .wrap import fold

_FINDINGS = 8  # told; they are sorted, worst first


def findings(report: Report, view: View) -> list[Text]:
    lines = []
    shown = report.findings if view.verbose else report.findings[:_FINDINGS]
    told = {hint for site in report.graph_breaks for hint in site.hints}
    for found in shown:
        where = (place(found.file, found.line, report.cwd), PLACE) if found.file else ""
        head = line(f"{found.severity} ", (found.rule, NAME), "  ", found.message, "  ", where)
        lines += fold(head, view.width, indent=2, hang=4)
        if found.advice not in told:
            told.add(found.advice)
            lines += fold(line(found.advice), view.width, indent=6)
    if left := len(report.findings) - len(shown):
        lines.append(line("  ", (f"and {left:,} more (-v shows all)", DIM)))
    return lines


def unknown(report: Report, view: View) -> list[Text]:
    lines = []
    for fact in report.unknown:
        lines += fold(
            line((fact.what, NAME), ": ", prose(fact.reason)), view.width, indent=2, hang=4
        )
    return lines


def end(report: Report, view: View) -> list[Text]:
    if report.end.complete:
        return []
    said = report.end.message or f"the observation ended early ({report.end.kind})"
    kept = "All facts above are of what came before."
    lines = fold(line((said, WRONG), ". ", kept), view.width, indent=2, hang=2)
    last = report.calls[-1].error if report.calls else None
    if view.verbose and last and last.kind != "raised":
        for more in lines_of(last.traceback or ""):
            lines += fold(line((more, DIM)), view.width, indent=4)
    return lines
