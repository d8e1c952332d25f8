"""Side effects: what the calls did besides giving a result, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from dynprobe.diagnose.words import in_words
from dynprobe.render.base import View
from dynprobe.report import Report
from dynprobe.report.jax import SideEffect

from .style import DIM, NAME, NEW, line
from .wrap import fold

_THINGS = 12  # told without -v
_SIDES = (("eager", "eager"), ("dynamo", "Dynamo"), ("jax", "JAX"))
_Rows = list[tuple[int, SideEffect]]


def effects(report: Report, view: View) -> list[Text]:
    things: dict[tuple[str, str], _Rows] = {}
    for call in report.calls:
        for effect in call.effects:
            things.setdefault((effect.kind, effect.what), []).append((call.index, effect))
    shown = list(things.values())[: None if view.verbose else _THINGS]
    lines: list[Text] = []
    for rows in shown:
        lines += fold(_thing(rows, report), view.width, indent=2, hang=4)
        if view.verbose:
            for text in _values(rows):
                lines += fold(text, view.width, indent=6)
    if left := len(things) - len(shown):
        lines += fold(line((f"and {left:,} more (-v shows all)", DIM)), view.width, indent=2)
    return lines


def _thing(rows: _Rows, report: Report) -> Text:
    """`printed 'hi': eager 3 of 3 calls, Dynamo 3 of 3, JAX 1 of 3 (call 0, while tracing)`."""
    said = [text for side, name in _SIDES if (text := _side(side, name, rows, report))]
    return line((_name(rows), NAME), ": ", ", ".join(said))


def _name(rows: _Rows) -> str:
    first = rows[0][1]
    if first.kind != "printed":
        return first.what
    texts = list(dict.fromkeys(e.eager or e.dynamo or e.jax or "" for _, e in rows))
    return f"printed {texts[0]}" + (" and the like" if len(texts) > 1 else "")


def _side(side: str, name: str, rows: _Rows, report: Report) -> str:
    """`JAX 1 of 3 (call 0, while tracing)`; nothing of a side that was not observed."""
    seen = [(index, effect) for index, effect in rows if side in effect.sides]
    if not seen:
        return ""
    did = [index for index, effect in seen if getattr(effect, side) is not None]
    total = len(report.calls)
    unit = " calls" if side == rows[0][1].sides[0] else ""
    if side != "jax" or not did or len(did) == total:
        return f"{name} {len(did)} of {total}{unit}"
    traced = {call.index for call in report.calls if call.jax and call.jax.traces}
    tracing = ", while tracing" if traced.issuperset(did) else ""
    return f"{name} {len(did)} of {total}{unit} ({in_words(did, 'call')}{tracing})"


def _values(rows: _Rows) -> Iterator[Text]:
    for index, effect in rows:
        told = [(name, getattr(effect, side)) for side, name in _SIDES if side in effect.sides]
        before = f", before {effect.before}" if effect.before is not None else ""
        said = line((f"call {index}{before}  ", DIM))
        for number, (name, value) in enumerate(told):
            said = line(said, ", " if number else "", f"{name} ", (value or "nothing", NEW))
        yield said
