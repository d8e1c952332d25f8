"""One cache entry against one frame's values: what torch says, and every guard that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...report import Against, FailedGuard, GuardKind
from .access import says_lost
from .failing import Failing, Known
from .places import Places
from .records import EntryHandle
from .taps import check_verbose, says_marking
from .words import Words

Parts = tuple[str, ...]


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
    words: Words, places: Places, known: Known,
) -> Against:  # fmt: skip
    """Why `entry` did not match a frame with these locals."""
    gone = getattr(entry.manager, "invalidation_reason", None)
    if gone:
        return Against(
            compile_id=entry.compile_id, torch_says=str(gone), failed=(_gone(gone, words),)
        )
    mine = entry.backend if entry.backend is not None else known.backend
    if mine is not None and backend is not None and mine != backend:
        row = FailedGuard(
            source="backend", kind="backend", root="process",
            expected=_named(mine), actual=_other(backend, mine), first=True,
        )  # fmt: skip
        says = "the entry was made by a different backend callable"
        return Against(compile_id=entry.compile_id, torch_says=says, failed=(row,))
    failing = Failing(entry.manager, f_locals, words, places, known)
    rows = failing.rows()
    holds, parts = _torch_check(entry, f_locals)
    says = _first_text(parts, rows)
    rows = [*failing.length_of_dict(says), *rows]
    rows = [*failing.raised(says), *rows]
    steps = failing.steps(rows, only_plain=bool(rows) and not says_lost(says))
    failed = _mark_first([*rows, *steps], says, steps)
    return Against(
        compile_id=entry.compile_id,
        torch_says=says,
        failed=failed,
        not_reached=failing.not_reached(list(failed)),
        note=None if failed else _tried(failing, holds, says),
    )


def _torch_check(entry: EntryHandle, f_locals: dict[str, Any]) -> tuple[bool | None, Parts]:
    """torch's own check: whether all guards hold (None: it raised), and its text."""
    try:
        return check_verbose(entry.manager, f_locals)
    except Exception as error:
        return None, (f"(torch's own check raised {type(error).__name__})",)


def _tried(failing: Failing, holds: bool | None, says: str) -> str:
    """Why a reason was not found: what was asked, and what torch's own check answers."""
    unasked = ", ".join(sorted(failing.unasked))
    asked = f"{failing.asked} guards were called, and all hold"
    if unasked:
        asked += f"; {sum(failing.unasked.values())} cannot be called now ({unasked})"
    if holds is None:
        return f"{asked}; {says.strip('()')}"
    answer = "passes too: what failed has changed since" if holds else f"says: {says}"
    return f"{asked}; torch's own check {answer}"


def against_state(entry: EntryHandle, words: Words, places: Places, known: Known) -> Against | None:
    """As `against_entry` where the frame's locals are not known, because a guard of the process's
    state failed before any that reads them; None where none did."""
    rows = Failing(entry.manager, {}, words, places, known).ambient_rows()
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
    """torch's words that are no guard's text (`tensor 'x' size mismatch at index 0 …`)."""
    if code.startswith("GLOBAL_STATE changed"):
        return row.root == "process"
    if code.startswith("Duplicate tensor"):
        return row.kind == "aliasing"
    if says_marking(code):
        return row.kind == "attribute"
    name = row.text.partition("check_tensor(")[2].partition(",")[0]
    if not name or f"'{name}'" not in code:
        return False
    return any(part in code for part in _TENSOR_WORDS.get(row.kind, ()))


_KEYS = ("dispatch key",)
_TENSOR_WORDS: dict[GuardKind, tuple[str, ...]] = {
    "size": ("size mismatch",),
    "stride": ("stride mismatch",),
    "dtype": ("dtype mismatch",),
    "rank": ("rank mismatch",),
    "requires_grad": ("requires_grad mismatch",),
    "device": ("device", *_KEYS),
    "layout": _KEYS,
    "tensor": _KEYS,
    "grad_mode": _KEYS,
    "type": ("type",),
}


def _gone(reason: Any, words: Words) -> FailedGuard:
    """An entry that torch gave up, for it held to an object by its identity."""
    of = str(reason).partition("because ")[2].rpartition(" got ")[0]
    of = of.removeprefix("type(").removesuffix(")") if of.startswith("type(") else of
    return FailedGuard(
        source=words.source(of) or "an object of the entry", kind="lifetime", first=True,
        expected="the object it was captured with", actual="that object is gone",
        text=str(reason), root=words.root(of),
    )  # fmt: skip


def _named(backend: Any) -> str:
    """As `torch.compile` was told, where it was told a name."""
    names = ("compiler_name", "__name__")
    said = next((name for a in names if (name := getattr(backend, a, None))), None)
    return str(said or type(backend).__name__)


def _other(backend: Any, wanted: Any) -> str:
    name = _named(backend)
    return f"another {name}" if name == _named(wanted) else name
