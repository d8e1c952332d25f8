"""Graph breaks: from torch's events to distinct places in the user's source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

from ...report import Crossing, Effect, GraphBreak, Line
from .break_text import BreakText, parse_break
from .places import Places, context_of, frame_name, make_line
from .records import BreakSeen, Inside

_WORSE: dict[Effect, int] = {"split": 0, "rest_eager": 1, "skip_frame": 2}


class _Level(NamedTuple):
    """A frame that a break ends: a function (its resume functions are it too), and how deep below
    it the break lies. `user` tells whether a line of the user's leads there."""

    function: str
    depth: int
    user: bool


@dataclass(eq=False)
class Site:
    """A distinct place, while the session runs. Counts are kept for each level: a break in an
    inlined helper ends the frames of all levels, yet each execution crosses it once."""

    index: int
    where: Line
    near: Line | None
    text: BreakText
    effect: Effect
    inside: Inside | None
    stack: tuple[Line, ...]
    captured: Counter[_Level] = field(default_factory=Counter)
    crossed: Counter[_Level] = field(default_factory=Counter)
    captured_now: Counter[_Level] = field(default_factory=Counter)
    crossed_now: Counter[_Level] = field(default_factory=Counter)
    levels: dict[int, _Level] = field(default_factory=dict)
    latest: tuple[Crossing, ...] = ()
    context: tuple[Line, ...] = ()
    calls: list[int] = field(default_factory=list)
    frames: dict[str, Effect] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    changed: bool = True

    def cross(self, code: CodeType) -> None:
        """`code`, which breaks here, ran up to the break."""
        self.crossed_now[self.levels[id(code)]] += 1
        self.changed = True

    def end_call(self, call: int) -> int:
        """How often this call crossed the place; moves its counts to the totals."""
        captured, crossed = _most(self.captured_now), _most(self.crossed_now)
        if captured or crossed:
            counted = 0 if self.effect == "skip_frame" else crossed
            self.latest = (Crossing(call=call, at_capture=captured, crossed=counted),)
        self.captured.update(self.captured_now)
        self.crossed.update(self.crossed_now)
        self.captured_now.clear()
        self.crossed_now.clear()
        return crossed

    def row(self) -> GraphBreak:
        """`per_call` has the call that ended last, once."""
        latest, self.latest, self.changed = self.latest, (), False
        text = self.text
        explanation = text.explanation
        if text.made_worse and self.effect != "split":
            explanation = f"{explanation} {text.made_worse}"
        counted = self.effect != "skip_frame"
        return GraphBreak(
            index=self.index, file=self.where.file, line=self.where.line,
            function=self.where.function, code=self.where.text, kind=text.kind,
            gb_id=text.gb_id, effect=self.effect,
            at_capture=_most(self.captured), crossed=_most(self.crossed) if counted else None,
            explanation=explanation, hints=text.hints, url=text.url, stack=self.stack,
            context=self.context, near=self.near,
            calls=tuple(self.calls), frames=self._worst_first(), inside=self.inside,
            per_call=latest, before=tuple(self.before), after=tuple(self.after),
        )  # fmt: skip

    def _worst_first(self) -> tuple[str, ...]:
        return tuple(sorted(self.frames, key=lambda name: -_WORSE[self.frames[name]]))

    def note(self, effect: Effect, inside: Inside | None, lines: tuple[Line, ...]) -> None:
        """It was met again, from another level or by another call."""
        if _WORSE[effect] >= _WORSE[self.effect]:
            worse = effect != self.effect
            self.effect, self.inside = effect, inside if worse else self.inside or inside
        if len(lines) > len(self.stack):
            self.stack = lines

    def captures(self, code: CodeType, level: _Level, effect: Effect, call: int) -> None:
        self.changed = True
        self.levels[id(code)] = level
        self.captured_now[level] += 1
        if call not in self.calls:
            self.calls.append(call)
        name = frame_name(code)
        if _WORSE[effect] >= _WORSE[self.frames.get(name, "split")]:
            self.frames[name] = effect


def _most(counts: Counter[_Level]) -> int:
    """Of the levels from which the user's own code leads to the break, if there are any, that of
    the highest count: a library's frame is crossed from other places too."""
    users = [count for level, count in counts.items() if level.user]
    return max(users or counts.values(), default=0)


@dataclass(eq=False)
class _Resumed:
    """A resume function: the places it goes on from, and its entries. Keeps the code object, so
    that its id is not used again."""

    code: CodeType
    sites: list[Site] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)


class Sites:
    """All places where graphs broke so far."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._sites: dict[object, Site] = {}
        self._resumed: dict[int, _Resumed] = {}

    def add(self, seen: BreakSeen, effect: Effect, code: CodeType, call: int) -> Site:
        """The place of a break that ended the frame `code`."""
        text, places = parse_break(seen.text), self._places
        lines = places.stack(seen.stack)
        where = lines[-1] if lines else _first_line(code)
        mine = places.nearest_user(lines or (where,))
        near = mine if mine is not None else places.caller()
        inside = text.inside or seen.inside if effect != "split" else None
        key = (where.file, where.line, text.kind, near and (near.file, near.line))
        site = self._sites.get(key)
        if site is None:
            told = None if near == where or places.is_user(where.file) else near
            site = Site(len(self._sites), where, told, text, effect, inside, lines)
            site.context = context_of(told or where)
            self._sites[key] = site
        site.note(effect, inside, lines)
        level = _Level(_owner(code), len(lines), mine is not None)
        site.captures(code, level, effect, call)
        return site

    def split(self, site: Site, compile_id: str, resumed: Iterable[CodeType]) -> None:
        """The graph of an entry ends at `site`, and `resumed` go on from there."""
        site.before.append(compile_id)
        for code in resumed:
            known = self._resumed.setdefault(id(code), _Resumed(code))
            if site not in known.sites:
                known.sites.append(site)
                site.after += [entry for entry in known.entries if entry not in site.after]

    def captured(self, code: CodeType, compile_id: str) -> None:
        """A frame has a new entry: it may be one that goes on from some place."""
        known = self._resumed.get(id(code))
        if known is None:
            return
        known.entries.append(compile_id)
        for site in known.sites:
            site.after.append(compile_id)
            site.changed = True

    def end_call(self, call: int) -> int:
        """How often the call crossed any place."""
        return sum(site.end_call(call) for site in self._sites.values())

    def changed_rows(self) -> tuple[GraphBreak, ...]:
        return tuple(site.row() for site in self._sites.values() if site.changed)


def _owner(code: CodeType) -> str:
    """A frame and its resume functions are one function of the user's."""
    return f"{code.co_filename}:{frame_name(code)}"


def _first_line(code: CodeType) -> Line:
    return make_line(code.co_filename, code.co_firstlineno, frame_name(code))
