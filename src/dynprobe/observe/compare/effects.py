"""What a call did besides giving its result, side by side."""

from __future__ import annotations

from collections.abc import Mapping

from ...report import SideEffect
from .changes import MOST, moved_by
from .store import Record

SIDES = ("eager", "dynamo", "jax")


def effects(
    records: Mapping[str, Record | None], printed: Mapping[str, str]
) -> tuple[SideEffect, ...]:
    """Of one call. Both have the sides by name; a side without a record was not observed."""
    sides = [name for name in SIDES if records.get(name) is not None]
    told: dict[str, dict[str, str]] = {}
    kinds: dict[str, str] = {}
    before: dict[str, str] = {}
    for name in sides:
        record = records[name]
        assert record is not None
        for kind, what, was, now in moved_by(record):
            told.setdefault(what, {})[name] = now
            kinds[what] = kind
            before.setdefault(what, was)
    rows = [
        SideEffect.model_validate(
            {"kind": kinds[what], "what": what, "before": before[what], "sides": tuple(sides)}
            | {side: values.get(side) for side in SIDES}
        )
        for what, values in told.items()
    ]
    text = {name: printed.get(name, "").strip() for name in sides}
    if any(text.values()):
        said = {side: text.get(side) or None for side in SIDES}
        rows.append(
            SideEffect(kind="printed", what="printed", before=None, sides=tuple(sides), **said)
        )
    return tuple(rows[:MOST])
