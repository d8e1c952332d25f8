"""One cache entry against one frame's values: what torch says, and every guard that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...report import Against, FailedGuard
from .access import says_lost
from .failing import Failing
from .guards import Stacks
from .places import Places
from .records import EntryHandle
from .taps import check_verbose
from .words import Words


def first_reason(against: Sequence[Against]) -> str:
    """The nearest entry's first failing guard, in few words: `x.shape[0]: 4 → 5`."""
    if not against:
        return "no entry matched"
    nearest = against[0]
    if not nearest.failed:
        return nearest.torch_says or "no guard found that failed"
    guard = nearest.failed[0]
    more = len(nearest.failed) - 1
    tail = f" (and {more} more)" if more else ""
    return f"{guard.source}: {guard.expected} → {guard.actual}{tail}"


def against_entry(
    entry: EntryHandle, f_locals: dict[str, Any], backend: Any,
    words: Words, places: Places, stacks: Stacks,
) -> Against:  # fmt: skip
    """Why `entry` did not match a frame with these locals."""
    gone = getattr(entry.manager, "invalidation_reason", None)
    if gone:
        return Against(
            compile_id=entry.compile_id, torch_says=str(gone), failed=(_gone(gone, words),)
        )
    if entry.backend is not None and backend is not None and entry.backend != backend:
        row = FailedGuard(
            source="backend", kind="backend", expected=_named(entry.backend), actual=_named(backend)
        )
        says = "the entry was made by a different backend callable"
        return Against(compile_id=entry.compile_id, torch_says=says, failed=(row,))
    failing = Failing(entry.manager, f_locals, words, places, stacks)
    rows = failing.rows()
    try:
        _, parts = check_verbose(entry.manager, f_locals)
    except Exception as error:
        parts = (f"(torch's own check raised {type(error).__name__})",)
    says = _first_text(parts, rows)
    rows = [*failing.length_of_dict(says), *rows]
    steps = failing.steps(only_plain=bool(rows) and not says_lost(says))
    return Against(
        compile_id=entry.compile_id,
        torch_says=says,
        failed=_mark_first([*rows, *steps], says, steps),
        note=None
        if rows or steps
        else "every guard that can be called from Python holds for these values",
    )


def against_state(
    entry: EntryHandle, words: Words, places: Places, stacks: Stacks
) -> Against | None:
    """As `against_entry` where the frame's locals are not known, because a guard of the process's
    state failed before any that reads them; None where none did."""
    rows = Failing(entry.manager, {}, words, places, stacks).ambient_rows()
    if not rows:
        return None
    _, parts = check_verbose(entry.manager, {})
    says = _first_text(parts, rows)
    return Against(compile_id=entry.compile_id, torch_says=says, failed=_mark_first(rows, says, []))


def _first_text(parts: tuple[str, ...], rows: list[FailedGuard]) -> str:
    """Of a shape guard's many conditions, the one that failed."""
    if len(parts) <= 1:
        return parts[0].strip() if parts else ""
    failed = {row.text for row in rows}
    return next((p for p in parts if p in failed), parts[0]).strip()


def _mark_first(
    rows: list[FailedGuard], says: str, steps: list[FailedGuard]
) -> tuple[FailedGuard, ...]:
    """The row that torch speaks of, marked and before all others."""
    code = says.partition("  # ")[0].strip()
    for i, row in enumerate(rows):
        mine = row.text.partition("  # ")[0].strip()
        step = row in steps and says_lost(says)
        if mine == code or step or _says_tensor(code, row):
            first = row.model_copy(update={"first": True})
            return (first, *rows[:i], *rows[i + 1 :])
    return tuple(rows)


def _says_tensor(code: str, row: FailedGuard) -> bool:
    """torch's words for a tensor (`tensor 'x' size mismatch at index 0 …`), matched to a row."""
    if code.startswith("GLOBAL_STATE changed"):
        return row.kind in ("grad_mode", "autocast", "global_state", "function_mode")
    if code.startswith("Duplicate tensor"):
        return row.kind == "aliasing"
    name = row.text.partition("check_tensor(")[2].partition(",")[0]
    if not name or f"'{name}'" not in code:
        return False
    wanted = {
        "size": "size mismatch", "stride": "stride mismatch", "dtype": "dtype mismatch",
        "rank": "rank mismatch", "requires_grad": "requires_grad mismatch",
        "device": "device", "tensor": "dispatch key", "type": "type",
    }  # fmt: skip
    return wanted.get(row.kind, "") in code


def _gone(reason: Any, words: Words) -> FailedGuard:
    source = str(reason).partition("because ")[2].rpartition(" got ")[0]
    return FailedGuard(
        source=words.source(source) or "an object of the entry", kind="lifetime",
        expected="the object it was captured with", actual="that object is gone", text=str(reason),
    )  # fmt: skip


def _named(backend: Any) -> str:
    return str(getattr(backend, "__name__", type(backend).__name__))
