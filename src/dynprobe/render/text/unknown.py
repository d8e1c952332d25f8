"""What could not be read, and an end before the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from dynprobe.diagnose.words import in_words
from dynprobe.render.base import View
from dynprobe.report import Report

from .style import DIM, NAME, WRONG, line, lines_of, prose
from .wrap import fold

_CALL = re.compile(r"\bcall (\d+)\b")


def unknown(report: Report, view: View) -> list[Text]:
    """What is not known of several calls for one reason is told once."""
    alike: dict[tuple[str, str], list[str]] = {}
    for fact in report.unknown:
        alike.setdefault((_CALL.sub("call", fact.what), fact.reason), []).append(fact.what)
    lines = []
    for (_, reason), every in alike.items():
        said = line((_together(every), NAME), ": ", prose(reason))
        lines += fold(said, view.width, indent=2, hang=4)
    return lines


def _together(every: Sequence[str]) -> str:
    """`part of calls 0–3`; the facts differ at most in the number of a call."""
    found = [_CALL.findall(what) for what in every]
    calls = sorted({int(numbers[0]) for numbers in found if len(numbers) == 1})
    if len(calls) < 2 or any(len(numbers) != 1 for numbers in found):
        return ", ".join(dict.fromkeys(every))
    return _CALL.sub(in_words(calls, "call"), every[0])


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
