"""What Dynamo does not compile: frames it gave up, frames at the recompile limit."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from dynprobe.diagnose.words import count
from dynprobe.render.base import View
from dynprobe.report import Frame, Report

from .places import at
from .style import DIM, NAME, WRONG, line, lines_of
from .wrap import fold


def eager(report: Report, view: View) -> list[Text]:
    lines: list[Text] = []
    for frame in report.frames:
        if frame.state != "compiled" and not frame.benign:
            lines += _frame(frame, report, view)
    return lines + _benign(report, view)


def _frame(frame: Frame, report: Report, view: View) -> Iterator[Text]:
    limit = report.settings.recompile_limit
    state = {
        "skipped": "given up: it runs eagerly for good, in silence",
        "limit": f"at the recompile limit ({limit}): what it has ({_entries(frame)}) "
        "still runs, any other input runs eagerly, in silence",
    }[frame.state]
    head = line((frame.function, NAME), " ", at(frame.file, frame.line, report.cwd), (" · ", DIM))
    yield from fold(line(head, (state, WRONG)), view.width, indent=2, hang=4)
    for reason in lines_of(frame.skip_reason or ""):
        yield from fold(line(reason), view.width, indent=6)


def _entries(frame: Frame) -> str:
    return count(len(frame.entries), "entry", "entries")


def _benign(report: Report, view: View) -> list[Text]:
    names = [frame.function for frame in report.frames if frame.benign]
    if not names or not (view.verbose or len(names) == len(report.frames)):
        return []
    said = f"no tensor operation, so nothing to compile: {', '.join(names)}"
    return fold(line((said, DIM)), view.width, indent=2, hang=4)
