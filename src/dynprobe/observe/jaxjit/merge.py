"""What the two sides of jax and the plain run told → the report. Pure but for reading records: jax
is not imported here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...report import Call, Difference, Jax, JaxCall, Jaxpr, Report, Unknown
from ..compare.across import difference
from ..compare.effects import effects
from ..compare.store import Record, load

if TYPE_CHECKING:
    from ...report.patch import JaxPatch
    from ..sides import Seen

_SIDES = ("dynamo", "jitted", "unjitted", "eager")
_SILENT = "it told nothing of this call"


@dataclass(frozen=True)
class _Told:
    """All that is known of one call, by side."""

    call: Call
    jitted: JaxPatch | None
    unjitted: JaxPatch | None
    records: Mapping[str, Record | None]

    @property
    def random(self) -> bool:
        """Random numbers were drawn on a side that runs the function's Python."""
        drew = (self.records["unjitted"], self.records["eager"])
        return any(record is not None and record.random for record in drew)


def with_jax(
    report: Report,
    jitted: Seen,
    unjitted: Seen,
    eager: Seen,
    *,
    folders: Mapping[str, Path],
    printed: Mapping[str, Mapping[int, str]],
) -> Report:
    """`report` with `jax`, and each call's `jax` and `effects`."""
    told = [_told(call, jitted, unjitted, folders) for call in report.calls]
    head = _head(jitted)
    fault = _unfaithful(told) if head.route == "bridge" else None
    if fault is not None:
        head = head.model_copy(update={"route": None, "unavailable": fault})
    rows = [_row(one, jitted.unknown, fault or head.unavailable) for one in told]
    calls = [
        one.call.model_copy(update={"jax": row, "effects": _effects(one, printed)})
        for one, row in zip(told, rows, strict=True)
    ]
    known = {"jax": _counted(head, rows, told), "calls": tuple(calls)}
    faults = (*report.unknown, *_unknown(told, jitted, unjitted, eager))
    return report.model_copy(update=known | {"unknown": faults})


def _told(call: Call, jitted: Seen, unjitted: Seen, folders: Mapping[str, Path]) -> _Told:
    def patch(seen: Seen) -> JaxPatch | None:
        return seen.followed.seen.jax_calls.get(call.index) if seen.followed else None

    records = {side: load(folders[side], call.index) for side in _SIDES}
    return _Told(call, patch(jitted), patch(unjitted), records)


def _head(jitted: Seen) -> Jax:
    loaded = jitted.followed.seen.jax if jitted.followed else None
    if loaded is None:
        return Jax(route=None, unavailable=jitted.unknown or "the JAX side told nothing")
    return loaded.jax


def _unfaithful(told: list[_Told]) -> str | None:
    """Why what the bridge shows is no fact about the function; None where a concrete run through
    it equals eager, call by call."""
    for one in told:
        plain, eager = one.unjitted, one.records["eager"]
        if one.jitted is not None and one.jitted.call.outcome == "unavailable":
            return f"call {one.call.index}: {one.jitted.call.note}"
        if plain is None or eager is None or one.random:
            continue
        error = plain.call.error
        if error is not None and not eager.error:
            said = plain.call.note or f"{error.type}: {error.message.partition(chr(10))[0]}"
            return f"call {one.call.index} through the bridge, without jit: {said}"
        if error is None and eager.error:
            return f"call {one.call.index} raises {eager.error[0]} in torch, not in the bridge"
        found, _ = _results(one, "eager", "unjitted")
        if found is not None:
            return f"call {one.call.index} through the bridge is not what torch gives{_at(found)}"
    return None


def _at(found: Difference) -> str:
    place = f" at {found.path}" if found.path else ""
    return f"{place}: {found.compiled}, not {found.eager}"


def _results(one: _Told, left: str, right: str) -> tuple[Difference | None, str | None]:
    mine, theirs = one.records[left], one.records[right]
    if mine is None or theirs is None or mine.error or theirs.error:
        return None, "not both gave a result"
    return difference(mine.result, theirs.result)


def _row(one: _Told, unknown: str | None, fault: str | None) -> JaxCall:
    if fault is not None or one.jitted is None:
        note = fault or unknown or _SILENT
        return JaxCall(outcome="unavailable", note=note)
    row = one.jitted.call
    if row.outcome == "error":
        return row
    if one.random:
        said = "it draws random numbers: results are not compared"
        return row.model_copy(update={"random": True, "note": said})
    found, unsure = _results(one, "unjitted", "jitted")
    apart, unsure_eager = _results(one, "eager", "jitted")
    return row.model_copy(
        update={
            "stale": found is not None if found is not None or unsure is None else None,
            "difference": found,
            "same_as_eager": apart is None if apart is not None or unsure_eager is None else None,
            "eager_difference": apart,
            "note": unsure,
        }
    )


def _effects(one: _Told, printed: Mapping[str, Mapping[int, str]]) -> tuple[object, ...]:
    names = {"eager": "eager", "dynamo": "dynamo", "jax": "jitted"}
    records = {name: one.records[side] for name, side in names.items()}
    texts = {name: printed[side].get(one.call.index, "") for name, side in names.items()}
    return effects(records, texts)


def _counted(head: Jax, rows: list[JaxCall], told: list[_Told]) -> Jax:
    jaxprs: tuple[Jaxpr, ...] = tuple(
        one.jitted.jaxpr for one in told if one.jitted is not None and one.jitted.jaxpr is not None
    )
    if head.route is None:
        return head
    return head.model_copy(
        update={
            "traces": sum(row.traces for row in rows),
            "hits": sum(row.outcome == "hit" for row in rows),
            "errors": sum(row.outcome == "error" for row in rows),
            "jaxprs": jaxprs,
        }
    )


def _unknown(told: list[_Told], jitted: Seen, unjitted: Seen, eager: Seen) -> Iterator[Unknown]:
    for what, seen in (
        ("what JAX does", jitted),
        ("what JAX does without jit", unjitted),
        ("the plain run that JAX is held against", eager),
    ):
        if seen.unknown is not None:
            yield Unknown(what=what, reason=seen.unknown)
    for one in told:
        if one.jitted is not None:
            yield from one.jitted.unknown
