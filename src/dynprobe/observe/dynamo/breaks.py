"""Graph breaks: from torch's events to distinct places in the user's source."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

from ...report import Effect, GraphBreak, Line
from .places import Places, frame_name
from .taps import registry

_EXPLANATION = re.compile(r"\n  Explanation: (?P<text>.*?)(?=\n  Hint: |\n\n|\Z)", re.S)
_HINT = re.compile(r"\n  Hint: (?P<text>.*?)(?=\n  Hint: |\n\n|\n  Developer|\Z)", re.S)
_CONTEXT = re.compile(r"Developer debug context: (?P<text>[^\n]*)")
_URL = re.compile(r"https?://\S+/gb/gb\d+\S*")
_NESTED = re.compile(r"\n\n\*\*\* While handling this graph break.*?\*\*\*\n\n", re.S)
_IN_PLAIN_WORDS = {
    "graph break in loop": "It is inside a loop, and Dynamo cannot resume inside one.",
    "Graph break under GenericContextWrappingVariable": (
        "It is inside a context manager that Dynamo cannot leave and enter again."
    ),
}


@dataclass(frozen=True)
class BreakText:
    """torch's message taken apart. `made_worse` says in plain words why the whole frame was given
    up where the break alone would only have split it."""

    kind: str
    gb_id: str | None
    explanation: str
    hints: tuple[str, ...]
    url: str | None
    made_worse: str | None = None
    in_loop: bool = False


@lru_cache(maxsize=1)
def _registry() -> dict[str, tuple[str, tuple[str, ...]]]:
    return registry()


def parse_break(text: str) -> BreakText:
    """A break's message: its kind, GB id, explanation and hints. A message that holds two breaks
    (one met while handling the other) is the first one's; the second says why it got worse."""
    first, *later = _NESTED.split(text)
    kind = first.strip().partition("\n")[0].strip() or "Unknown graph break"
    explanation = _EXPLANATION.search(first)
    gb_id, registered = _registry().get(kind, (None, ()))
    hints = tuple(_flat(m["text"]) for m in _HINT.finditer(first)) or registered
    hints = tuple(sorted(hints, key=lambda hint: (_rank(hint), hint)))
    worse = next((_worse(t) for t in later), None)
    url = _URL.search(first)
    return BreakText(
        kind=kind,
        gb_id=gb_id,
        explanation=_flat(explanation["text"]) if explanation else _flat(first)[:500],
        hints=hints,
        url=url[0] if url else None,
        made_worse=worse,
        in_loop=any(t.strip().startswith("graph break in loop") for t in later),
    )


def _rank(hint: str) -> int:
    """What to write comes first, what only says how hard it is last."""
    if hint.startswith("Use "):
        return 0
    return 2 if hint.startswith("This graph break") else 1


def _worse(text: str) -> str:
    kind = text.strip().partition("\n")[0].strip()
    explanation = _EXPLANATION.search(text)
    said = _flat(explanation["text"]) if explanation else kind
    return _IN_PLAIN_WORDS.get(kind, said)


def _flat(text: str) -> str:
    """One paragraph; what follows an empty line (a listing) keeps its lines."""
    head, gap, rest = text.partition("\n\n")
    return " ".join(head.split()) + (gap + rest if gap and rest.strip() else "")


@dataclass
class Site:
    """A distinct place, while the session runs. Counts are kept per code object: a break in an
    inlined helper ends the frames of all levels, yet each execution crosses it once."""

    index: int
    where: Line
    text: BreakText
    effect: Effect
    stack: tuple[Line, ...]
    captured: Counter[str] = field(default_factory=Counter)
    crossed: Counter[str] = field(default_factory=Counter)
    crossed_now: Counter[str] = field(default_factory=Counter)
    calls: list[int] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    changed: bool = True

    def cross(self, code: CodeType) -> None:
        self.crossed_now[_owner(code)] += 1
        self.changed = True

    def end_call(self) -> int:
        """How often this call crossed the place; moves the count to the total."""
        now = max(self.crossed_now.values(), default=0)
        self.crossed.update(self.crossed_now)
        self.crossed_now.clear()
        return now

    def row(self, places: Places) -> GraphBreak:
        near = None if places.is_user(self.where.file) else places.nearest_user(self.stack)
        explanation = self.text.explanation
        if self.text.made_worse and self.effect != "split":
            explanation = f"{explanation} {self.text.made_worse}"
        counted = self.effect != "skip_frame"
        return GraphBreak(
            index=self.index, file=self.where.file, line=self.where.line,
            function=self.where.function, code=self.where.text, kind=self.text.kind,
            gb_id=self.text.gb_id, effect=self.effect,
            at_capture=max(self.captured.values(), default=0),
            crossed=max(self.crossed.values(), default=0) if counted else None,
            explanation=explanation, hints=self.text.hints, url=self.text.url,
            stack=self.stack, near=near, calls=tuple(self.calls), frames=tuple(self.frames),
        )  # fmt: skip


def _owner(code: CodeType) -> str:
    """A frame and its resume functions are one function of the user's."""
    return f"{code.co_filename}:{frame_name(code)}"


class Sites:
    """All places where graphs broke so far."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._sites: dict[tuple[str, int, str], Site] = {}

    def add(self, text: str, stack: list[Any], effect: Effect, code: CodeType, call: int) -> Site:
        parsed = parse_break(text)
        lines = self._places.stack(stack)
        where = lines[-1] if lines else _first_line(code)
        key = (where.file, where.line, parsed.kind)
        site = self._sites.get(key)
        if site is None:
            site = Site(len(self._sites), where, parsed, effect, lines)
            self._sites[key] = site
        _note(site, effect, lines, code, call)
        return site

    def end_call(self) -> int:
        return sum(site.end_call() for site in self._sites.values())

    def changed_rows(self) -> tuple[GraphBreak, ...]:
        rows = tuple(s.row(self._places) for s in self._sites.values() if s.changed)
        for site in self._sites.values():
            site.changed = False
        return rows


_WORSE: dict[Effect, int] = {"split": 0, "rest_eager": 1, "skip_frame": 2}


def _note(site: Site, effect: Effect, lines: tuple[Line, ...], code: CodeType, call: int) -> None:
    site.changed = True
    site.captured[_owner(code)] += 1
    if _WORSE[effect] > _WORSE[site.effect]:
        site.effect = effect
    if len(lines) > len(site.stack):
        site.stack = lines
    if call not in site.calls:
        site.calls.append(call)
    name = frame_name(code)
    if name not in site.frames:
        site.frames.append(name)


def _first_line(code: CodeType) -> Line:
    from .places import make_line

    return make_line(code.co_filename, code.co_firstlineno, frame_name(code))
