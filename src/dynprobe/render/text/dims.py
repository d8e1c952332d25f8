"""Dynamic dimensions, as a person says them."""

from __future__ import annotations

from math import isfinite

from rich.text import Text

from dynprobe.report import DynamicDim

from .style import NAME, line


def dynamic(dim: DynamicDim) -> Text:
    """`x dim 0 (s77 ≥ 2)`."""
    what = f" dim {dim.dim}" if dim.dim is not None else ""
    return line((dim.source, NAME), what, f" ({_range(dim)})")


def _range(dim: DynamicDim) -> str:
    """`2 ≤ s77 ≤ 64`, `s77 ≥ 2`, `s77`."""
    low = f"{dim.low} ≤ " if _bounds(dim.low) else ""
    high = f" ≤ {dim.high}" if _bounds(dim.high) else ""
    return f"{dim.symbol} ≥ {dim.low}" if low and not high else f"{low}{dim.symbol}{high}"


def _bounds(end: int | float | None) -> bool:
    return end is not None and isfinite(end)
