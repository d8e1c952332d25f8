"""Recompiles because a size changed."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .base import CauseRule, Fix


def _size(cause: Cause) -> bool:
    return cause.row.kind == "size" and all(value.isdigit() for value in cause.distinct)


SIZE_RECOMPILE = CauseRule(
    id="size-recompile",
    title="A size changed",
    why="""\
Dynamo captures a graph for the exact sizes it sees first. When one of them changes it recompiles
once and makes that dimension a symbol, so that later sizes hit. The second compile is what this
finding is about: it can be spared by saying beforehand which dimension varies.""",
    fixes=(
        Fix(
            key="mark_dynamic",
            text="mark it before the first call: torch._dynamo.mark_dynamic({name}, {dim})",
        ),
        Fix(key="dynamic", text="or compile with dynamic=True"),
    ),
    matches=lambda cause: _size(cause) and not {"0", "1"} & cause.distinct,
)
SIZE_RULES: tuple[CauseRule, ...] = (SIZE_RECOMPILE,)
