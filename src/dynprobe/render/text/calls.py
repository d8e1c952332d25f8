"""The table of calls: a row a call, equal neighbours folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rich.text import Text

from dynprobe.diagnose.jax_words import error_name
from dynprobe.render.base import View
from dynprobe.report import Call, Report

from .grid import GAP, Column, Row, natural_width, table
from .reasons import why
from .style import DIM, JAX_OUTCOME, OUTCOME, WARN, clean, line
from .wrap import fold

_INDENT = 2
_MANY = 40  # rows; beyond, neighbouring calls that added nothing share a row
_FIRST, _LAST = 100, 20  # rows shown of a table that is longer still
_WHY_LEAST = 36  # cells for the last column, else it goes below the row
_NOTE = "calls_captured counts operations captured into graphs, not calls."


@dataclass(frozen=True, slots=True)
class _Shown:
    """One row: calls `first` to `last`, which look the same (or added nothing)."""

    first: Call
    last: Call
    inputs: str
    why: Text
    label: str


def calls(report: Report, view: View) -> list[Text]:
    if not report.calls:
        return []
    shown = list(_folded(report))
    if len(shown) > _MANY and not view.verbose:
        shown = list(_folded_further(shown))
    if len(shown) > _MANY and not view.verbose:
        shown = list(_folded_by_cause(shown, report))
    hidden = shown[_FIRST:-_LAST] if len(shown) > _FIRST + _LAST and not view.verbose else []
    with_jax = report.jax is not None and report.jax.route is not None
    plan = _plan(shown, view.width, jax=with_jax)
    indent = _INDENT + max(len(_number(s)) for s in shown) + GAP
    rows = [
        Row(_cells(row, plan), tuple(_below(row, before, plan, view.width, indent)))
        for before, row in zip([None, *shown], shown, strict=False)
    ]
    if hidden:
        said = f"… calls {hidden[0].first.index}–{hidden[-1].last.index} (-v shows all)"
        rows[_FIRST - 1] = replace(
            rows[_FIRST - 1], below=(*rows[_FIRST - 1].below, line("  ", (said, DIM)))
        )
        del rows[_FIRST:-_LAST]
    lines = table(_columns(plan), rows, view.width, _INDENT)
    return [*lines, *_note(shown, plan, view)]


def _note(shown: Sequence[_Shown], plan: _Plan, view: View) -> list[Text]:
    said = _NOTE if plan.units else f"new, runs: graphs/operations. {_NOTE}"
    if any(s.first.unique_graphs != s.last.unique_graphs for s in shown):
        said += " Of several calls: new and runs of each, the totals after the last."
    return fold(line((said, DIM)), view.width, indent=_INDENT, hang=0)


def _folded(report: Report) -> Iterator[_Shown]:
    plain = [
        _Shown(c, c, ", ".join(map(clean, c.inputs)), why(report, c), c.label or "")
        for c in report.calls
    ]
    for _, run in groupby(plain, key=_look):
        same = list(run)
        yield replace(same[0], last=same[-1].first)


def _look(shown: _Shown) -> tuple[object, ...]:
    call = shown.first
    return (call.label, shown.inputs, shown.why.plain, *_numbers(call))


def _numbers(call: Call) -> tuple[object, ...]:
    return (
        call.outcome, call.ops_captured, call.calls_captured, call.graphs_compiled,
        call.unique_graphs, call.graph_runs, call.ops_run, call.breaks_crossed, _jax(call).plain,
    )  # fmt: skip


def _folded_further(shown: Sequence[_Shown]) -> Iterator[_Shown]:
    for _, run in groupby(shown, key=lambda s: (s.why.plain, *_numbers(s.first))):
        yield _as_one(list(run))


def _folded_by_cause(shown: Sequence[_Shown], report: Report) -> Iterator[_Shown]:
    """Neighbours that went alike for the same guards, whatever the values: a counter that grows."""
    causes: dict[int, tuple[object, ...]] = {}
    for missed in report.recompiles:
        nearest = missed.against[0].failed if missed.against else ()
        sources = tuple(guard.source for guard in nearest)
        causes[missed.call] = (*causes.get(missed.call, ()), missed.frame, sources)

    def key(row: _Shown) -> tuple[object, ...]:
        call = row.first
        reached = any(run.limit_reached for run in call.frames)
        return (causes.get(call.index, row.why.plain), reached, bool(call.error), *_per_call(call))

    for _, run in groupby(shown, key=key):
        yield _as_one(list(run))


def _per_call(call: Call) -> tuple[object, ...]:
    return (
        call.outcome, call.ops_captured, call.graphs_compiled, call.graph_runs, call.ops_run,
        call.breaks_crossed, _jax(call).plain,
    )  # fmt: skip


def _as_one(same: Sequence[_Shown]) -> _Shown:
    first, last = same[0], same[-1]
    different = list(dict.fromkeys(s.inputs for s in same))
    inputs = ", ".join(different) if len(different) <= 2 else " … ".join(
        [different[0], different[-1]]) + f" ({len(different)} different)"  # fmt: skip
    reason = first.why
    if len({s.why.plain for s in same}) > 1:
        reason = line(reason, (" and the like", DIM))
    label = first.label if first.label == last.label else f"{first.label} … {last.label}"
    return replace(first, last=last.last, inputs=inputs, why=reason, label=label)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which columns the table has; what has none goes on lines below its row."""

    labels: bool
    crossed: bool
    why: bool
    jax: bool = False
    inputs: bool = True
    totals: bool = True
    units: bool = True  # "graphs/ops" in the header
    split: bool = False  # the names of the totals on two lines of it


def _plan(shown: Sequence[_Shown], width: int, *, jax: bool) -> _Plan:
    """The first that fits; the last if none does."""
    plan = _Plan(
        labels=any(s.label for s in shown),
        crossed=any(s.first.breaks_crossed for s in shown),
        why=any(s.why.plain for s in shown),
        jax=jax,
    )
    steps: tuple[dict[str, bool], ...] = (
        {}, {"split": True}, {"units": False}, {"why": False, "units": True}, {"units": False},
        {"jax": False, "units": True}, {"units": False},
        {"inputs": False, "units": True}, {"units": False}, {"labels": False}, {"totals": False},
    )  # fmt: skip
    for step in steps:
        plan = replace(plan, **step)
        if _used(shown, plan) <= width:
            break
    return plan


def _used(shown: Sequence[_Shown], plan: _Plan) -> int:
    """The cells across that the table takes, where the reason may fold."""
    columns = _columns(plan)
    cells = [_cells(s, plan) for s in shown]
    widths = [natural_width(c, [row[i] for row in cells]) for i, c in enumerate(columns)]
    if plan.why:
        widths[-1] = min(widths[-1], _WHY_LEAST)
    return _INDENT + sum(widths) + GAP * (len(widths) - 1)


def _columns(plan: _Plan) -> list[Column]:
    units = ("graphs/ops",) if plan.units else ()
    columns = [Column(("#",), "right")]
    columns += [Column(("label",))] * plan.labels
    columns += [Column(("inputs",))] * plan.inputs
    columns += [Column(("outcome",))]
    columns += [Column(("new", *units), "right"), Column(("runs", *units), "right")]
    if plan.totals:
        names = (("calls_", "captured"), ("unique_", "graphs"))
        heads = names if plan.split else tuple(("".join(name),) for name in names)
        columns += [Column(head, "right") for head in heads]
    columns += [Column(("breaks", "crossed"), "right")] * plan.crossed
    columns += [Column(("jax",))] * plan.jax
    columns += [Column(("why",))] * plan.why
    return columns


def _cells(shown: _Shown, plan: _Plan) -> tuple[Text, ...]:
    call = shown.first
    cells = [line(_number(shown))]
    cells += [line(shown.label)] * plan.labels
    cells += [line(shown.inputs)] * plan.inputs
    cells.append(line((call.outcome, OUTCOME[call.outcome])))
    cells.append(_pair(call.graphs_compiled, call.ops_captured))
    cells.append(_pair(call.graph_runs, call.ops_run))
    if plan.totals:
        after = shown.last
        cells += [line(f"{after.calls_captured:,}"), line(f"{after.unique_graphs:,}")]
    cells += [_some(call.breaks_crossed)] * plan.crossed
    cells += [_jax(call)] * plan.jax
    cells += [shown.why] * plan.why
    return tuple(cells)


def _below(
    shown: _Shown, before: _Shown | None, plan: _Plan, width: int, indent: int
) -> Iterator[Text]:
    """What has no column; inputs only where they are not those of the row above."""
    call = shown.first
    if not plan.labels and shown.label:
        yield from fold(line(("label ", DIM), shown.label), width, indent=indent)
    if not plan.inputs and (before is None or before.inputs != shown.inputs):
        yield from fold(line(shown.inputs), width, indent=indent)
    if not plan.totals and (call.graphs_compiled or call.index == 0):
        after = shown.last
        totals = f"calls_captured {after.calls_captured:,}, unique_graphs {after.unique_graphs:,}"
        yield from fold(line((totals, DIM)), width, indent=indent)
    if not plan.jax and call.jax is not None:
        yield from fold(line(("jax ", DIM), _jax(call)), width, indent=indent)
    if not plan.why and shown.why.plain:
        yield from fold(shown.why, width, indent=indent)


def _number(shown: _Shown) -> str:
    first, last = shown.first.index, shown.last.index
    return str(first) if first == last else f"{first}–{last}"


def _jax(call: Call) -> Text:
    """`trace`, `hit stale`, the class of the error, or – where nothing is known."""
    seen = call.jax
    if seen is None or seen.outcome == "unavailable":
        return line(("–", DIM))
    said = line((error_name(call) or seen.outcome, JAX_OUTCOME[seen.outcome]))
    return line(said, " ", ("stale", WARN)) if seen.stale else said


def _pair(graphs: int, ops: int) -> Text:
    return line(f"{graphs:,}/{ops:,}") if graphs or ops else line(("–", DIM))


def _some(number: int) -> Text:
    return line(f"{number:,}") if number else line(("–", DIM))
