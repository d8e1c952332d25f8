"""Texts that are refused: the place of the caret, the sentence, the example in the hint.

The tables are the files beside this one: the text, the caret with the message, the hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dynprobe.errors import GrammarError
from dynprobe.spec.calls import MAX_DEPTH, parse_call, parse_shapes
from dynprobe.spec.target import parse_target

TABLES: dict[str, Callable[[str], object]] = {
    "refused_calls.txt": parse_call,
    "refused_shapes.txt": parse_shapes,
    "refused_targets.txt": parse_target,
}
TOO_DEEP = "lists and dicts are nested more than 64 deep"
IN_PYTHON = "build the value in Python and name it: @pkg.mod:obj"
UNPRINTABLE = [
    (parse_shapes, "", 0, "a shape is missing", "write sizes: 4x8,5x8"),
    (parse_shapes, "4, ", 3, "a shape is missing", "write sizes: 4x8,5x8"),
    (parse_target, "", 0, "no target is given", "name a module and a function: pkg.mod:fn"),
    (
        parse_target,
        " pkg.mod.fn",
        8,
        "'pkg.mod.fn' has no colon between the module and the function",
        "write: pkg.mod:fn",
    ),
    (
        parse_target,
        "a\nb.py",
        6,
        r"'a\nb.py' names a file, and no function in it",
        "add a colon and the function: path/to/file.py:fn",
    ),
    (
        parse_target,
        "a\0.py:fn",
        1,
        "a target has no NUL character",
        "name a function: pkg.mod:fn",
    ),
    (
        parse_call,
        "a\0b",
        0,
        r"'a\x00b' is neither a tensor nor a literal",
        r"quote it: 'a\x00b'",
    ),
    (parse_call, "@a\0.npy", 1, "a path has no NUL character", "name a file: @data/x.npy"),
    (
        parse_call,
        "1x" * 65 + "f32",
        128,
        "a tensor has at most 64 dimensions",
        "give fewer: 4x8xf32",
    ),
    (
        parse_call,
        "9" * 100_000,
        0,
        "an integer of 100000 characters is longer than Python reads",
        "write a shorter number: 1000000",
    ),
    (parse_call, "[" * 100_000, MAX_DEPTH, TOO_DEEP, IN_PYTHON),
    (parse_call, "{a:" * 100_000, 3 * MAX_DEPTH, TOO_DEEP, IN_PYTHON),
]


def brief(value: object) -> str:
    """A test's id: some texts are very long, and a function's own text has its address."""
    return str(getattr(value, "__name__", value))[:30]


def printed() -> Iterator[tuple[Callable[[str], object], str, int, str, str]]:
    for name, parse in TABLES.items():
        table = Path(__file__).with_name(name).read_text(encoding="utf-8")
        for row in table.strip("\n").split("\n\n"):
            text, caret, hint = row.split("\n")
            position = len(caret) - len(caret.lstrip(" "))
            assert caret[position : position + 2] == "^ ", row
            yield parse, text, position, caret[position + 2 :], hint


@pytest.mark.parametrize(
    ("parse", "text", "position", "message", "hint"), [*printed(), *UNPRINTABLE], ids=brief
)
def test_refusals(
    parse: Callable[[str], object], text: str, position: int, message: str, hint: str
) -> None:
    with pytest.raises(GrammarError) as caught:
        parse(text)
    error = caught.value
    assert (error.position, error.message, error.hint) == (position, message, hint)
    assert error.text == text
    parse(hint.split(": ", 1)[1])  # the example works
