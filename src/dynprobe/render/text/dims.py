"""Dynamic dimensions, as a person says them."""

from __future__ import annotations

from math import isfinite

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.report import DynamicDim, Specialised

from .style import NAME, PLACE, line


def dynamic(dim: DynamicDim) -> Text:
    """`x dim 0 (s77 ≥ 2)`."""
    what = f" dim {dim.dim}" if dim.dim is not None else ""
    return line((dim.source, NAME), what, f" ({_range(dim)})")


def tied(dim: DynamicDim, cwd: str) -> Text:
    """`= y.shape[0] by a.py:3`; empty where it is tied to nothing."""
    if not dim.tied:
        return Text()
    said = line("= ", (" = ".join(dim.tied), NAME))
    if dim.tied_at is not None:
        where = place(dim.tied_at.file, dim.tied_at.line, cwd)
        return line(said, " by ", (where, PLACE))
    how = "they were equal when it was captured" if dim.tied_by == "duck sizing" else dim.tied_by
    return line(said, f": {how}" if how else "")


def specialised(row: Specialised, cwd: str) -> Text:
    """`x dim 0 = 6, made a constant at a.py:3  if x.shape[0] == 6:`."""
    what = f" dim {row.dim}" if row.dim is not None else ""
    said = line((row.source, NAME), what, f" = {row.value}, made a constant")
    if row.where is None:
        return said
    where = (place(row.where.file, row.where.line, cwd), PLACE)
    return line(said, " at ", where, f"  {row.where.text}" if row.where.text else "")


def _range(dim: DynamicDim) -> str:
    """`2 ≤ s77 ≤ 64`, `s77 ≥ 2`, `s77`."""
    low = f"{dim.low} ≤ " if _bounds(dim.low) else ""
    high = f" ≤ {dim.high}" if _bounds(dim.high) else ""
    return f"{dim.symbol} ≥ {dim.low}" if low and not high else f"{low}{dim.symbol}{high}"


def _bounds(end: int | float | None) -> bool:
    return end is not None and isfinite(end)
