"""The calls that raised: what, where, and whether eager raises too. A call that ended its process
is told by the end of the report."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from dynprobe.diagnose.verdict import came_back
from dynprobe.diagnose.words import count, in_words
from dynprobe.render.base import View
from dynprobe.report import CallError, Report

from .places import source_line
from .style import DIM, OUTCOME, line, lines_of, prose
from .wrap import fold

_MESSAGE_LINES = 12  # of a long message; all of it with -v
_EAGER = {
    True: "eager raises too: the fault is not torch.compile's",
    False: "eager does not raise: it fails only when compiled",
    None: "whether eager raises too was not tried",
}


def errors(report: Report, view: View) -> list[Text]:
    alike: dict[CallError, list[int]] = {}
    for call in report.calls:
        if call.error and came_back(report, call):
            alike.setdefault(call.error, []).append(call.index)
    lines: list[Text] = []
    for error, indices in alike.items():
        lines += _error(in_words(indices, "call"), error, report, view)
    return lines


def _error(calls: str, error: CallError, report: Report, view: View) -> Iterator[Text]:
    message = lines_of(error.message) or [""]
    head: list[str | tuple[str, str] | Text] = [f"{calls}  ", (error.type, OUTCOME["error"])]
    if message[0]:
        head.append(f": {message[0]}")
    yield from fold(line(*head), view.width, indent=2, hang=4)
    shown = message[1:] if view.verbose else message[1:_MESSAGE_LINES]
    for more in shown:
        yield from fold(line(more), view.width, indent=6)
    if len(shown) < len(message) - 1:
        left = count(len(message) - 1 - len(shown), "more line")
        yield line("      ", (f"… {left} (-v shows all)", DIM))
    if error.where:
        yield from source_line(error.where, report.cwd, view.width, indent=6)
    yield from fold(line(_EAGER[error.eager_raises]), view.width, indent=6)
    if error.eager_error and not f"{error.type}: {error.message}".startswith(error.eager_error):
        yield from fold(line("eager: ", prose(error.eager_error)), view.width, indent=6)
    if view.verbose and error.traceback:
        for more in lines_of(error.traceback):
            yield from fold(line((more, DIM)), view.width, indent=6)
