"""Guards: per frame and entry, first what is guarded by value, size or identity and so can
recompile; then, folded, the types and parameters; the rest as counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from dynprobe.diagnose.words import and_more, count, entries_in_words
from dynprobe.render.base import View
from dynprobe.report import Entry, Guard, Report

from .folding import Group, can_vary, grouped
from .grid import column_starts, flow
from .places import at
from .style import DIM, NAME, join, line, prose
from .wrap import fold

_SCREEN = 16  # rows of the whole section, some of which take two lines
_ENTRIES = 12  # entries told of
_LEAST = 3  # rows of one entry
_LIKE = 2  # entries of a frame told that guard the same sources
_FIXED = 6  # kinds of types and parameters named of one entry


def guards(report: Report, view: View) -> list[Text]:
    entries = [(f.function, entry) for f in report.frames for entry in f.entries if entry.guards]
    own = entries if view.all_guards else [pair for pair in entries if _own(pair[1])]
    alike: dict[str, list[Entry]] = {}
    if not view.all_guards:
        own, alike = _folded(own)
    shown = own if view.all_guards else own[:_ENTRIES]
    firsts = len({_frame(entry) for _, entry in shown})
    room = (_SCREEN - _LEAST * (len(shown) - firsts)) // max(firsts, 1)
    lines: list[Text] = []
    known: dict[str, _Known] = {}
    for function, entry in shown:
        before = known.setdefault(_frame(entry), _Known(entry.compile_id, frozenset()))
        # Of a frame's later entries only what is new is told: the first needs the room.
        rows = max(_LEAST, room if before.first == entry.compile_id else _SCREEN // len(shown))
        lines += _entry(function, entry, before, rows, report, view)
        known[_frame(entry)] = before._replace(said=before.said | set(map(_key, entry.guards)))
        lines += _like_it(function, entry, alike.get(entry.compile_id, []), view)
    if left := own[len(shown) :]:
        number = sum(len(_own(entry)) for _, entry in left)
        said = f"and {count(number, 'guard')} of {count(len(left), 'more entry', 'more entries')}"
        lines.append(line("  ", (f"{said} (--all-guards shows every one)", DIM)))
    if not view.all_guards:
        lines += _without(entries, view)
    return lines


def _folded(
    own: Sequence[tuple[str, Entry]],
) -> tuple[list[tuple[str, Entry]], dict[str, list[Entry]]]:
    """The entries to tell of; and, by the id of one of these, those after it in its frame that
    guard the same sources and so differ from it in values only. A second one is told too."""
    kept: list[tuple[str, Entry]] = []
    alike: dict[str, list[Entry]] = {}
    met: dict[tuple[str, frozenset[tuple[str, str]]], list[str]] = {}
    for function, entry in own:
        guarded = frozenset((guard.source, guard.kind) for guard in _own(entry))
        before = met.setdefault((_frame(entry), guarded), [])
        if len(before) >= _LIKE:
            alike.setdefault(before[-1], []).append(entry)
        else:
            before.append(entry.compile_id)
            kept.append((function, entry))
    return kept, alike


def _like_it(function: str, told: Entry, alike: Sequence[Entry], view: View) -> Iterator[Text]:
    """Entries of which it is enough to know in what they differ from one that is told."""
    if not alike:
        return
    known = {_key(guard) for guard in _own(told)}
    apart = dict.fromkeys(g.source for e in alike for g in _own(e) if _key(g) not in known)
    ids = entries_in_words([entry.compile_id for entry in alike])
    sources = and_more(list(apart)[:_LEAST], len(apart), "other") if apart else "nothing told here"
    said = line((function, NAME), " ", (ids, NAME), ("  as " + told.compile_id, DIM))
    said = line(said, (", but for ", DIM), (sources, NAME), (" (--all-guards)", DIM))
    yield from fold(said, view.width, indent=2, hang=4)


class _Known(NamedTuple):
    """What was told of a frame's entries before this one; `first` is the id of the first."""

    first: str
    said: frozenset[tuple[str, str]]


def _frame(entry: Entry) -> str:
    """Dynamo's number of the frame: the first half of a compile id."""
    return entry.compile_id.partition("/")[0]


def _key(guard: Guard) -> tuple[str, str]:
    return guard.source, guard.condition


def _without(entries: Sequence[tuple[str, Entry]], view: View) -> Iterator[Text]:
    """Entries that guard nothing of the user's, by what they do guard."""
    alike: dict[str, list[str]] = {}
    for function, entry in entries:
        if not _own(entry):
            alike.setdefault(_counts(entry.guards), []).append(f"{function} {entry.compile_id}")
    for counts, names in alike.items():
        more = f" and {len(names) - _ENTRIES} more" if len(names) > _ENTRIES else ""
        said = line((", ".join(names[:_ENTRIES]), NAME), more, "  ", (counts, DIM))
        yield from fold(said, view.width, indent=2)


def _own(entry: Entry) -> list[Guard]:
    return [guard for guard in entry.guards if guard.origin == "user"]


def _entry(
    function: str, entry: Entry, before: _Known, rows: int, report: Report, view: View
) -> Iterator[Text]:
    head = line((function, NAME), " ", (entry.compile_id, NAME), "  ", (_counts(entry.guards), DIM))
    yield from fold(head, view.width, indent=2)
    if view.all_guards:
        yield from _rows([Group.alone(guard) for guard in entry.guards], report, view)
        return
    new = [guard for guard in _own(entry) if _key(guard) not in before.said]
    varying = [guard for guard in new if can_vary(guard)]
    groups = grouped(varying, rows)
    shown = groups if len(groups) <= rows else groups[: rows - 1]
    yield from _rows(shown, report, view)
    if left := sum(group.size for group in groups[len(shown) :]):
        said = f"and {count(left, 'more guard')} (--all-guards shows every one)"
        yield from fold(line((said, DIM)), view.width, indent=4)
    yield from _as_they_are([guard for guard in new if not can_vary(guard)], view)
    if same := len(_own(entry)) - len(new):
        said = f"{count(same, 'guard')} as in {before.first}"
        apart = [] if new else _apart(entry, before.first, report)
        more = line((", apart in ", DIM), ", ".join(apart)) if apart else ""
        yield from fold(line((said, DIM), more), view.width, indent=4)


def _apart(entry: Entry, first: str, report: Report) -> list[str]:
    """What an entry that guards the same values as the `first` of its frame was made for: guards
    on the process tell no value (`grad mode: on → off`)."""
    return [
        f"{guard.source}: {guard.expected} → {guard.actual}"
        for missed in report.recompiles
        if missed.compile_id == entry.compile_id
        for against in missed.against
        if against.compile_id == first
        for guard in against.failed[:_LEAST]
    ]


def _as_they_are(fixed: Sequence[Guard], view: View) -> Iterator[Text]:
    """What is the same on every call of most programs: classes of objects, parameters."""
    if not fixed:
        return
    there = [guard for guard in fixed if guard.condition != "is None"]
    groups = grouped(there, _FIXED)
    said = [_in_words(group) for group in groups[:_FIXED]]
    if left := sum(group.size for group in groups[_FIXED:]) + len(fixed) - len(there):
        said.append(line((f"and {left:,} more", DIM)))
    head = line((f"types and parameters ({len(fixed):,}): ", DIM))
    yield from fold(line(head, join(said, ", ")), view.width, indent=4)


def _in_words(group: Group) -> Text:
    times = f" ×{group.size:,}" if group.size > 1 else ""
    more = " and the like" if group.differ else ""
    return line(f"{group.source}{times} {group.guard.condition}{more}")


def _counts(every: Sequence[Guard]) -> str:
    number = {"user": 0, "library": 0, "ambient": 0}
    for guard in every:
        number[guard.origin] += 1
    said = [count(number["user"], "guard") if number["user"] else "none on your values"]
    if number["library"]:
        said.append(f"{number['library']:,} on library objects")
    if number["ambient"]:
        said.append(f"{number['ambient']:,} on the process")
    return ", ".join(said)


def _rows(groups: Sequence[Group], report: Report, view: View) -> Iterator[Text]:
    rows = [_cells(group, report, view) for group in groups]
    told = [cells for cells in rows if cells[1].plain]  # relations of sizes run on
    starts = column_starts(told, 4, (min(view.width * 2 // 5, 60), max(view.width // 5, 20)))
    for group, cells in zip(groups, rows, strict=True):
        yield from flow(cells, starts, view.width)
        if view.verbose and group.guard.text:
            text = group.guard.text.partition("  # ")[0]
            yield from fold(line((prose(text), DIM)), view.width, indent=8)


def _cells(group: Group, report: Report, view: View) -> list[Text]:
    guard = group.guard
    source = line((group.source, NAME))
    relation = guard.kind == "symbolic" and guard.condition[:1] not in "≥≤" and group.size == 1
    if relation and guard.source.partition(", ")[0] in guard.condition:
        # It names its sizes itself: `2 <= x.shape[0] <= 512`.
        source = line((guard.condition, NAME))
    if group.size > 1:
        source.append(f" ×{group.size:,}")
    condition = line("" if source.plain == guard.condition else guard.condition)
    if group.differ:
        condition = line(guard.condition, (" and the like", DIM))
    if view.all_guards and guard.origin != "user":
        condition = join([condition, line((guard.origin, DIM))], "  ")
    told = guard.near or guard.where
    where = at(told.file, told.line, report.cwd) if told else Text()
    return [source, condition, where]
