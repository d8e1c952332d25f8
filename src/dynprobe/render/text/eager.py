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

_CALLEES = "functions it calls are still compiled, each by itself"
_CALLEES_ARE_COMPILED = ("given up at line", "torch.compiler.disable(recursive=False)")


def eager(report: Report, view: View) -> list[Text]:
    lines: list[Text] = []
    for alike in _alike(report):
        lines += _frame(alike[0], len(alike), report, view)
    return lines + _benign(report, view)


def _alike(report: Report) -> list[list[Frame]]:
    """The two sides of a branch are two resume functions, given up for the same reason."""
    found: dict[object, list[Frame]] = {}
    for frame in report.frames:
        if frame.state != "compiled" and not frame.benign:
            key: object = frame.key
            if frame.is_resume and frame.state == "skipped":
                key = (frame.function, frame.file, frame.line, frame.skip_reason)
            found.setdefault(key, []).append(frame)
    return list(found.values())


def _frame(frame: Frame, times: int, report: Report, view: View) -> Iterator[Text]:
    limit = report.settings.recompile_limit
    since = f" in call {frame.since}" if frame.since is not None else ""
    state = {
        "skipped": f"given up{since}: nothing in it is compiled, nor on any later call, in silence",
        "limit": f"at the recompile limit ({limit}{since}): what it has ({_entries(frame)}) "
        "still runs, any other input runs eagerly, in silence",
    }[frame.state]
    part = " from" if frame.is_resume else ""
    twice = f" ({times} resume functions)" if times > 1 else ""
    where = line(at(frame.file, frame.line, report.cwd), twice)
    head = line((frame.function, NAME), part, " ", where, (" · ", DIM))
    yield from fold(line(head, (state, WRONG)), view.width, indent=2, hang=4)
    for reason in lines_of(frame.skip_reason or ""):
        yield from fold(line(reason), view.width, indent=6)
    if (frame.skip_reason or "").startswith(_CALLEES_ARE_COMPILED):
        yield from fold(line((_CALLEES, DIM)), view.width, indent=6)


def _entries(frame: Frame) -> str:
    return count(len(frame.entries), "entry", "entries")


def _benign(report: Report, view: View) -> list[Text]:
    names = [frame.function for frame in report.frames if frame.benign]
    if not names or not (view.verbose or len(names) == len(report.frames)):
        return []
    said = f"no tensor operation, so nothing to compile: {', '.join(names)}"
    return fold(line((said, DIM)), view.width, indent=2, hang=4)
