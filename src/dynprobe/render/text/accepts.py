"""What hits: for each source that guards mention, what the entries there are accept of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from dynprobe.diagnose.words import count
from dynprobe.render.base import View
from dynprobe.report import Accepts, Report

from .folding import pattern
from .grid import column_starts, flow
from .style import DIM, NAME, line, prose
from .wrap import fold

_FRAMES = 12  # frames told of
_ROWS = 24  # rows of one frame
_MANY = 4  # sources that differ only in an index and are told as one
_CONTIGUOUS = "contiguous"
_GRAD = {(): "", ("True",): "requires grad", ("False",): "no grad"}
_PROPERTIES = (".dtype", ".device", ".requires_grad", ".stride()")


class _Row(NamedTuple):
    source: str
    text: str
    size: int = 1


def accepts(report: Report, view: View) -> list[Text]:
    if not view.verbose:
        return []
    frames: dict[tuple[str, str], list[Accepts]] = {}
    for row in report.accepts:
        frames.setdefault((row.function, row.entries[0].partition("/")[0]), []).append(row)
    shown = list(frames.items())[: None if view.all_guards else _FRAMES]
    lines = [text for (function, _), rows in shown for text in _frame(function, rows, view)]
    if left := len(frames) - len(shown):
        said = f"and {count(left, 'more frame')} (--all-guards shows all)"
        lines += fold(line((said, DIM)), view.width, indent=2)
    return lines


def _frame(function: str, rows: Sequence[Accepts], view: View) -> Iterator[Text]:
    entries = list(dict.fromkeys(entry for row in rows for entry in row.entries))
    more = f" and {len(entries) - _FRAMES} more" if len(entries) > _FRAMES else ""
    head = line((function, NAME), "  ", (", ".join(entries[:_FRAMES]) + more, DIM))
    yield from fold(head, view.width, indent=2)
    state = [] if view.all_guards else [row for row in rows if row.kind == "tensor"]
    told = _folded([row for row in rows if row not in state])
    shown = told if view.all_guards else told[:_ROWS]
    cells = [[_source(row), line(prose(row.text))] for row in shown]
    starts = column_starts(cells, 4, (min(view.width * 2 // 5, 60),))
    for pair in cells:
        yield from flow(pair, starts, view.width)
    if left := sum(row.size for row in told[len(shown) :]):
        said = f"and {count(left, 'more source')} (--all-guards shows all)"
        yield from fold(line((said, DIM)), view.width, indent=4)
    if state:
        said = f"{count(len(state), 'parameter or buffer', 'parameters and buffers')} as captured"
        yield from fold(line((said, DIM)), view.width, indent=4)


def _source(row: _Row) -> Text:
    source = line((row.source, NAME))
    return source.append(f" ×{row.size:,}") if row.size > 1 else source


def _folded(rows: Sequence[Accepts]) -> list[_Row]:
    """A row a source: a tensor's properties in one, and one for sources that differ only in an
    index, where they accept the same or are many."""
    known = {row.source: row for row in rows}
    tensors = [row.source for row in rows if f"{row.source}.dtype" in known]
    told = {
        row.source: _tensor(row, known) if row.source in tensors else row.text
        for row in _beside(rows, tensors)
        if not _is_property(row.source, tensors)
    }
    alike: dict[str, list[str]] = {}
    for source in told:
        alike.setdefault(pattern(source), []).append(source)
    return [row for sources in alike.values() for row in _group(sources, told)]


def _group(sources: Sequence[str], told: dict[str, str]) -> list[_Row]:
    texts = {told[source] for source in sources}
    first = sources[0]
    if len(sources) == 1 or (len(texts) > 1 and len(sources) < _MANY):
        return [_Row(source, told[source]) for source in sources]
    more = "" if len(texts) == 1 else " and the like"
    return [_Row(pattern(first), told[first] + more, len(sources))]


def _beside(rows: Sequence[Accepts], tensors: Sequence[str]) -> list[Accepts]:
    """A tensor's sizes after it, wherever they were first met."""
    order = {row.source: i for i, row in enumerate(rows)}

    def place(row: Accepts) -> int:
        owner = row.source.partition(".shape[")[0]
        return order[owner] if owner in tensors else order[row.source]

    return sorted(rows, key=place)


def _is_property(source: str, tensors: Sequence[str]) -> bool:
    return any(source.endswith(p) and source.removesuffix(p) in tensors for p in _PROPERTIES)


def _tensor(row: Accepts, known: dict[str, Accepts]) -> str:
    """`2 dimensions, f32, no grad`; the device and strides only where they are out of the
    ordinary."""
    of = {p: known[row.source + p].values for p in _PROPERTIES if row.source + p in known}
    head, end, tail = row.text.replace(" only", "", 1).partition(";")
    parts = [head, " or ".join(of.get(".dtype", ()))]
    if of.get(".device", ("cpu",)) != ("cpu",):
        parts.append("on " + " or ".join(of[".device"]))
    grad = of.get(".requires_grad", ())
    parts.append(_GRAD.get(grad, "with grad or without"))
    if of.get(".stride()", (_CONTIGUOUS,)) != (_CONTIGUOUS,):
        parts.append("strides " + " or ".join(of[".stride()"]))
    return ", ".join(part for part in parts if part) + end + tail
