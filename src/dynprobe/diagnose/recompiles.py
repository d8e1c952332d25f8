"""Recompiles → findings: a cause, the rule that tells it, its advice in the case's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from dynprobe.report import Finding, Report
from dynprobe.report.leading import tensor_name

from .causes import Cause, causes
from .forms import argument_of
from .rules import CAUSE_RULES, CauseRule
from .rules.base import MARKS, advised
from .words import and_more, count

_NUMPY = re.compile(r"\bfrom_numpy\((\w+)\)")  # how an array that is passed is guarded
_LAST_ITEM = re.compile(r"\[[^\[\]]*\]$")
_KEYS = re.compile(r"^list\((.*)\)$")  # a dict's keys, in order
_VALUES = 4  # told of one source
_SOURCES = 3  # told of one finding


def recompile_findings(report: Report) -> Iterator[Finding]:
    """One for causes of one rule in one frame that changed together; a change that recompiles all
    the parts that a graph break makes of a function is one too."""
    together: dict[object, tuple[CauseRule, list[Cause]]] = {}
    for cause in causes(report):
        rule = _rule(cause)
        key = (rule.id, cause.calls, cause.file, cause.line, cause.function)
        together.setdefault(key, (rule, []))[1].append(cause)
    alike: dict[object, list[Finding]] = {}
    for rule, changed in together.values():
        finding = _finding(rule, changed, report)
        values = tuple(cause.values for cause in changed)
        alike.setdefault((finding.rule, finding.calls, values), []).append(finding)
    for frames in alike.values():
        yield _in_all(frames)


def _in_all(frames: list[Finding]) -> Finding:
    """The first of findings that differ in their frame, which names the others'."""
    first = frames[0]
    if len(frames) == 1:
        return first
    names = list(dict.fromkeys(found.function or "?" for found in frames))
    said = and_more(names[:_SOURCES], len(names), "other")
    subjects = dict.fromkeys(source for found in frames for source in found.subjects)
    message = f"{first.message}, in {count(len(frames), 'frame')} ({said})"
    return first.model_copy(update={"message": message, "subjects": tuple(subjects)})


def _rule(cause: Cause) -> CauseRule:
    return next(rule for rule in CAUSE_RULES if rule.matches(cause))


def _finding(rule: CauseRule, alike: Sequence[Cause], report: Report) -> Finding:
    first = next((cause for cause in alike if _NUMPY.match(cause.row.source)), alike[0])
    where = first.row.near or first.row
    often = len(first.rows) > 1 or bool(first.fallbacks)
    return Finding(
        rule=rule.id,
        severity="warning" if often else "note",
        message=f"{_changed(alike)}: {_became(first)}",
        advice=advised(rule, report, **words(first, alike)),
        file=where.file or first.file,
        line=where.line if where.file else first.line,
        function=first.function,
        subjects=tuple(cause.row.source for cause in alike),
        calls=first.calls,
    )


def _marks(alike: Sequence[Cause], call: str) -> str:
    """What marks all the sizes that changed together: where one of those that must be equal is not
    marked, marking the other raises (`mark_dynamic`) or does not help (`mark_unbacked`)."""
    marks = []
    for cause in alike:
        said = _words(cause)
        marks.append(call.format(name=said["name"], dim=said["dim"]))
    return ", ".join(dict.fromkeys(marks))


def _changed(alike: Sequence[Cause]) -> str:
    said = [f"{cause.row.source} changed ({_values(cause)})" for cause in alike[:1]]
    said += [f"{cause.row.source} ({_values(cause)})" for cause in alike[1:_SOURCES]]
    return and_more(said, len(alike), "other")


def _values(cause: Cause) -> str:
    values = cause.values
    if cause.row.kind in ("identity", "lifetime"):  # each is "another function", "gone", …
        values = tuple(dict.fromkeys(values))
    if len(values) > _VALUES:
        values = (*values[: _VALUES - 1], "…", values[-1])
    return " → ".join(values)


def _became(cause: Cause) -> str:
    made = cause.recompiled
    said = []
    if made:
        said.append("recompiled" if made == 1 else f"recompiled {made:,} times")
    if cause.fallbacks:
        said.append(f"{count(len(cause.fallbacks), 'call')} ran eagerly at the limit")
    return ", ".join(said)


def words(cause: Cause, alike: Sequence[Cause] = ()) -> dict[str, str]:
    """What a fix's text may name: `source` (`x.shape[0]`, `self.calls`), `name` (the tensor, or
    what the value is read from: `x`, `self`), `container` (what has the key, item or length: `d` of
    `d['a']`), `attribute` (the last step: `calls`), `dim` (of a
    size or stride), `was` and `now`, `function`, `type` (the class of the value now), `at` (the
    user's line that reads it: ` (line 7: for i in range(n):)`, empty where it is not known),
    `torch_name` (the source as torch writes it: `G['STEP']`). `marks` and
    `unbacked` are the calls that mark all sizes of `alike`, which changed together."""
    together = alike or (cause,)
    return _words(cause) | {word: _marks(together, call) for word, call in MARKS.items()}


def _words(cause: Cause) -> dict[str, str]:
    row = cause.row
    bare = row.source.removeprefix("global ").removeprefix("closure ")
    if bare.startswith("len("):
        bare = bare.removeprefix("len(").removesuffix(")")
        bare = bare.removeprefix("global ").removeprefix("closure ")
    bare = argument_of(bare) or _NUMPY.sub(r"\1", bare)
    name = tensor_name(bare)
    holder, _, attribute = bare.rpartition(".")
    return {
        "source": bare,
        "name": name if name != bare else holder or bare,
        "container": _KEYS.sub(r"\1", _LAST_ITEM.sub("", bare)),
        "attribute": attribute,
        "dim": bare.rpartition("[")[2].rstrip("]") if row.kind in ("size", "stride") else "",
        "was": row.expected,
        "now": row.actual,
        "function": cause.function,
        "type": row.type or "value",
        "at": _reader(cause),
        "torch_name": row.text.partition("  #")[0].partition(" == ")[0].strip(),
    }


def _reader(cause: Cause) -> str:
    row = cause.row
    constant = cause.specialised.where if cause.specialised else None
    if constant is not None:
        told = row.near.file if row.near else row.file  # where the finding is
        other = constant.file != told
        where = f"{PurePosixPath(constant.file).name}:" if other else "line "
        return f" ({where}{constant.line}: {constant.text})"
    if row.near is not None:
        return f" (line {row.near.line}: {row.near.text})"
    return f" (line {row.line}: {row.code})" if row.line and row.code else ""
