"""Two recordings of the same calls → what each call gave and changed otherwise than plain eager.

Pure but for reading the files: torch is not imported here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from ...report import Call, Change, Difference, EagerRun, Report, Unknown
from .changes import changes
from .nodes import GENERATOR, MISSING, shown
from .same import Compared, Parting
from .store import Record, load
from .unguarded import unguarded

_NOT_RECORDED = "comparison with eager"


def compared(
    report: Report,
    compiled_dir: str | Path,
    eager_dir: str | Path,
    compiled_printed: Mapping[int, str],
    eager_printed: Mapping[int, str],
    unknown: str | None,
) -> Report:
    """`report` with `Call.eager` filled in from the records that the two workers wrote.

    `compiled_printed` and `eager_printed` have what each call wrote to standard output, by its
    index. `unknown` says why the eager run ended early, where it did: calls that have no record
    of it are then told with this reason.
    """
    compiled = {c.index: record for c in report.calls if (record := load(compiled_dir, c.index))}
    eager = {c.index: record for c in report.calls if (record := load(eager_dir, c.index))}
    calls, faults = [], list(report.unknown)
    if unknown is not None:
        faults.append(Unknown(what=_NOT_RECORDED, reason=unknown))
    for call in report.calls:
        mine, plain = compiled.get(call.index), eager.get(call.index)
        reason = _why_not(mine, plain, unknown)
        if reason is None and mine is not None and plain is not None:
            printed = (eager_printed.get(call.index, ""), compiled_printed.get(call.index, ""))
            run = _run(report, call, plain, mine, compiled, printed, eager)
        else:
            run = EagerRun(same=None, note=reason)
        faults += _faults(call, mine, plain)
        calls.append(call.model_copy(update={"eager": run}))
    return report.model_copy(update={"calls": tuple(calls), "unknown": tuple(faults)})


def _why_not(mine: Record | None, plain: Record | None, unknown: str | None) -> str | None:
    if plain is None:
        return unknown or "the eager run has no record of this call"
    if mine is None:
        return "the compiled run has no record of this call"
    for record, which in ((mine, "compiled"), (plain, "eager")):
        if record.fault is not None:
            return f"the {which} run's values could not be recorded"
    return None


def _faults(call: Call, mine: Record | None, plain: Record | None) -> Iterator[Unknown]:
    for record, which in ((mine, "compiled"), (plain, "eager")):
        if record is not None and record.fault is not None:
            what = f"{_NOT_RECORDED} of call {call.index} ({which} run)"
            yield Unknown(what=what, reason=record.fault)


def _run(
    report: Report,
    call: Call,
    plain: Record,
    mine: Record,
    compiled: Mapping[int, Record],
    printed: tuple[str, str],
    eager: Mapping[int, Record],
) -> EagerRun:
    difference, unsure = result_difference(plain, mine)
    found, more = changes(plain, mine, printed)
    same: bool | None = difference is None and not found
    notes = sorted({*filter(None, (unsure, more)), *mine.cuts, *plain.cuts})
    if same and unsure and not unsure.startswith("of "):
        same = None
    reasons = () if same is not False else unguarded(report, call, mine, plain, compiled, eager)
    return EagerRun(
        same=same,
        difference=difference,
        changes=found,
        unguarded=tuple(reasons),
        random=plain.random or any(_drawn(change) for change in found),
        note="; ".join(notes) or None,
    )


def _drawn(change: Change) -> bool:
    """A generator of the user's own moved."""
    return bool(GENERATOR.match(change.eager or "")) and change.eager != change.before


def result_difference(plain: Record, mine: Record) -> tuple[Difference | None, str | None]:
    """Where the results (or exceptions) part first; and what could not be compared."""
    if plain.error or mine.error:
        return _of_errors(plain, mine), None
    one, two = plain.result or MISSING, mine.result or MISSING
    both = Compared([one], [two])
    first = next(islice(both.partings(one, two), 1), None)
    return (None if first is None else _difference(first)), both.unsure


def _of_errors(plain: Record, mine: Record) -> Difference | None:
    """An exception of a subclass is the same: Dynamo raises its own for some of torch's."""
    if plain.error and mine.error and plain.error[0] in mine.error:
        return None
    return Difference(path="", eager=_gave(plain), compiled=_gave(mine))


def _gave(record: Record) -> str:
    if not record.error:
        return shown(record.result)
    message = record.message.strip().partition("\n")[0][:120]
    return f"raised {record.error[0]}: {message}" if message else f"raised {record.error[0]}"


def _difference(parting: Parting) -> Difference:
    numbers = parting.numbers
    told = Difference(path=parting.path, eager=parting.left, compiled=parting.right)
    if numbers is None:
        return told
    return told.model_copy(
        update={
            "largest": numbers.largest,
            "relative": numbers.relative,
            "differ": numbers.differ,
            "of": numbers.of,
        }
    )
