"""Folding: long lines go on below, indented; nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

_BREAK_AFTER = frozenset(",;:.)]}/=|-")
_LEAST = 8  # cells a folded line has at least, however deep its indent


def fold(text: Text, width: int, *, indent: int = 0, hang: int = 2) -> list[Text]:
    """`text` on lines of at most `width` cells, the first indented by `indent`, later ones by
    `indent + hang`. Breaks at spaces, else after punctuation, else anywhere."""
    first = max(width - indent, _LEAST)
    rest = max(width - indent - hang, _LEAST)
    lines = []
    for number, piece in enumerate(_pieces(text, first, rest)):
        piece.pad_left(indent + (hang if number else 0))
        lines.append(piece)
    return lines


def pack(parts: Sequence[Text], width: int, *, between: Text) -> list[Text]:
    """The parts one after another, a new line where the next does not fit whole."""
    lines: list[Text] = []
    for part in parts:
        last = lines[-1].plain if lines else ""
        if lines and cell_len(last) + cell_len(between.plain) + cell_len(part.plain) <= width:
            lines[-1].append_text(between)
            lines[-1].append_text(part)
        else:
            lines += fold(part, width)
    return lines


def _pieces(text: Text, first: int, rest: int) -> Iterator[Text]:
    width = first
    while cell_len(text.plain) > width:
        head, tail = text.divide([_break_at(text.plain, width)])
        head.rstrip()
        yield head
        text = tail[len(tail.plain) - len(tail.plain.lstrip(" ")) :] if tail.plain else tail
        width = rest
    yield text


def _break_at(plain: str, width: int) -> int:
    """The offset at which a line of `width` cells ends; at least 1."""
    fits = _fitting(plain, width)
    if plain[fits : fits + 1] == " ":
        return fits
    space = plain.rfind(" ", 0, fits)
    if space > fits // 2:
        return space
    for end in range(fits, fits // 2, -1):
        if plain[end - 1] in _BREAK_AFTER:
            return end
    return space if space > 0 and plain[:space].strip() else fits


def _fitting(plain: str, width: int) -> int:
    """How many leading characters take at most `width` cells."""
    end = min(len(plain), width)
    while end > 1 and cell_len(plain[:end]) > width:
        end -= 1
    return max(end, 1)
