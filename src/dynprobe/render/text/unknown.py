"""What could not be read, and an end before the end."""

from __future__ import annotations

from rich.text import Text

from dynprobe.render.base import View
from dynprobe.report import Report

from .style import DIM, NAME, WRONG, line, lines_of, prose
from .wrap import fold


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
