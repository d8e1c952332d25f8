"""Columns: a table whose numbers stay in line, and rows whose cells flow on below when long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.text import Text

from .wrap import fold

GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """`heads` are the header's lines, the last one next to the cells."""

    heads: tuple[str, ...]
    justify: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Row:
    """`below` are lines that belong to the row and do not fit in its columns."""

    cells: tuple[Text, ...]
    below: tuple[Text, ...] = ()


def table(columns: Sequence[Column], rows: Sequence[Row], width: int, indent: int) -> list[Text]:
    """Header and rows. The last column folds in place; all others are as wide as they need."""
    widths = [natural_width(column, [row.cells[i] for row in rows])
              for i, column in enumerate(columns)]  # fmt: skip
    lines = []
    height = max(len(column.heads) for column in columns)
    for level in range(height):
        heads = [Text(_head(column, level, height), style="dim") for column in columns]
        lines.append(_across(heads, widths, columns, indent))
    for row in rows:
        lines += _row(row, widths, columns, width, indent)
    return lines


def natural_width(column: Column, cells: Sequence[Text]) -> int:
    return max([cell_len(head) for head in column.heads] + [cell_len(c.plain) for c in cells])


def _head(column: Column, level: int, height: int) -> str:
    missing = height - len(column.heads)
    return column.heads[level - missing] if level >= missing else ""


def _row(
    row: Row, widths: list[int], columns: Sequence[Column], width: int, indent: int
) -> list[Text]:
    start = indent + sum(widths[:-1]) + GAP * (len(widths) - 1)
    folded = fold(row.cells[-1], width - start, hang=0)
    lines = [_across([*row.cells[:-1], folded[0]], widths, columns, indent)]
    for more in folded[1:]:
        more.pad_left(start)
        lines.append(more)
    return lines + list(row.below)


def _across(
    cells: Sequence[Text], widths: list[int], columns: Sequence[Column], indent: int
) -> Text:
    line = Text(" " * indent, end="")
    for number, (cell, width, column) in enumerate(zip(cells, widths, columns, strict=True)):
        room = " " * (width - cell_len(cell.plain))
        line.append(" " * GAP if number else "")
        line.append(room if column.justify == "right" else "")
        line.append_text(cell)
        line.append(room if column.justify == "left" else "")
    line.rstrip()
    return line


def flow(cells: Sequence[Text], starts: Sequence[int], width: int) -> list[Text]:
    """One row of left-aligned cells that begin at `starts`. A cell too long for its column runs
    on or moves below, and the next one begins on a new line: no text is cut or mixed with
    another's."""
    lines = [Text(end="")]
    for number, (cell, start) in enumerate(zip(cells, starts, strict=True)):
        if not cell.plain:
            continue
        end = starts[number + 1] - GAP if number + 1 < len(starts) else width
        fits = cell_len(cell.plain) <= end - start
        if not fits and number:
            start = starts[0] + GAP
        if lines[-1].plain and (cell_len(lines[-1].plain) > start - GAP):
            lines.append(Text(end=""))
        if fits:
            lines[-1].append(" " * (start - cell_len(lines[-1].plain)))
            lines[-1].append_text(cell)
        else:
            lines[-1:] = fold(cell, width, indent=start)
    return lines


def column_starts(rows: Sequence[Sequence[Text]], indent: int, widest: Sequence[int]) -> list[int]:
    """Where the columns of `flow` rows begin: as wide as their cells, at most `widest`."""
    starts = [indent]
    for number, limit in enumerate(widest):
        fitting = [cell_len(r[number].plain) for r in rows if cell_len(r[number].plain) <= limit]
        starts.append(starts[-1] + max(fitting, default=0) + GAP)
    return starts
