"""What earlier calls cost later ones, where each call was made alone too."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from dynprobe.diagnose.lost import Loss, how, in_a_sentence, losses
from dynprobe.diagnose.words import count
from dynprobe.render.base import View
from dynprobe.report import Alone, Call, Report

from .places import at
from .style import DIM, NAME, OUTCOME, WRONG, line, prose
from .wrap import fold

_SAME = "no call runs fewer operations in graphs than it does alone, in a fresh Dynamo state"


def alone(report: Report, view: View) -> list[Text]:
    made = [(call, call.alone) for call in report.calls if call.alone is not None]
    if not made:
        return []
    lines: list[Text] = []
    for loss in losses(report):
        lines += _loss(loss, report, view)
    for call, fact in made:
        lines += _errors(call, fact, view)
        if view.verbose:
            lines += _row(call, fact, view)
    return lines or fold(line((_SAME, DIM)), view.width, indent=2)


def _loss(loss: Loss, report: Report, view: View) -> Iterator[Text]:
    yield from fold(line((in_a_sentence(loss), WRONG)), view.width, indent=2, hang=4)
    for frame in loss.frames:
        head = line((frame.function, NAME), " ", at(frame.file, frame.line, report.cwd))
        said = prose(how(frame, report.settings.recompile_limit, "it"))
        yield from fold(line(head, (" · ", DIM), said), view.width, indent=6)
    if not loss.frames:
        yield from fold(line("no frame tells which earlier call did it"), view.width, indent=6)


def _errors(call: Call, fact: Alone, view: View) -> Iterator[Text]:
    """Where one raises and the other does not."""
    if fact.error and not call.error:
        said = line(f"call {call.index} raises alone: ", prose(fact.error))
        yield from fold(said, view.width, indent=2, hang=4)
    elif call.error and call.error.kind == "raised" and not fact.error:
        said = line(f"call {call.index} raises only after the calls before it: alone it does not")
        yield from fold(said, view.width, indent=2, hang=4)


def _row(call: Call, fact: Alone, view: View) -> list[Text]:
    ran = f"{count(fact.ops_run, 'operation')} in {count(fact.graph_runs, 'graph run')}"
    row = line(
        f"call {call.index} alone  ", (fact.outcome, OUTCOME[fact.outcome]), f"  {ran}",
        (f", {call.ops_run:,} after the calls before it", DIM),
    )  # fmt: skip
    return fold(row, view.width, indent=2, hang=4)
