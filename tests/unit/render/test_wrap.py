"""Folding keeps every character that is no blank, within the width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from dynprobe.render.text.grid import flow
from dynprobe.render.text.style import clean, line
from dynprobe.render.text.wrap import fold, pack


def solid(text: str) -> str:
    return "".join(text.split())


@given(st.text(max_size=300), st.integers(16, 90), st.integers(0, 6))
def test_fold_loses_nothing_and_keeps_the_width(text: str, width: int, indent: int) -> None:
    folded = fold(line(text), width, indent=indent)
    assert solid("".join(piece.plain for piece in folded)) == solid(clean(text))
    assert max(cell_len(piece.plain) for piece in folded) <= width


@given(st.lists(st.text(max_size=60), min_size=3, max_size=3), st.integers(40, 120))
def test_flow_keeps_each_cell_in_one_piece(texts: list[str], width: int) -> None:
    cells = [line(text) for text in texts]
    shown = flow(cells, (4, 14, 28), width)
    screen = solid("".join(piece.plain for piece in shown))
    assert all(solid(clean(text)) in screen for text in texts)
    assert max(cell_len(piece.plain) for piece in shown) <= width


@given(st.text())
def test_clean_text_is_one_harmless_line(text: str) -> None:
    shown = clean(text)
    assert shown.splitlines() in ([], [shown])
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[bold]x[/bold]", "[bold]x[/bold]"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\tb\nc\r", r"a\tb\nc\r"),
        ("\u202eevil", r"\u202eevil"),
        ("\ud800", r"\ud800"),
        ("色🎨", "色🎨"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_fold_prefers_blanks_then_punctuation() -> None:
    assert [t.plain for t in fold(Text("one two three"), 8)] == ["one two", "  three"]
    assert [t.plain for t in fold(Text("first,second"), 8)] == ["first,", "  second"]


def test_pack_breaks_only_between_parts() -> None:
    packed = pack([Text("a b"), Text("c d"), Text("e f")], 9, between=Text(" · "))
    assert [t.plain for t in packed] == ["a b · c d", "e f"]
