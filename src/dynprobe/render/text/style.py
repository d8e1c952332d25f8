"""The look of the text output: a handful of styles, and what makes foreign text safe to show.

Only colours of the terminal's own palette that read on dark and on light backgrounds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rich.text import Text

from dynprobe.report import JaxOutcome, Outcome

HEADING: Final = "bold"
DIM: Final = "dim"
NAME: Final = "bold"
PLACE: Final = "cyan"
WRONG: Final = "red"
WARN: Final = "yellow"
NEW: Final = "bold magenta"  # a value that a guard did not expect
OUTCOME: Final[dict[Outcome, str]] = {
    "hit": "green",
    "capture": "",
    "recompile": "magenta",
    "fallback": "red",
    "skip": "red",
    "error": "bold red",
}

JAX_OUTCOME: Final[dict[JaxOutcome, str]] = {
    "hit": "green",
    "trace": "magenta",
    "error": "bold red",
    "unavailable": "dim",
}

_SHOWN = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # without them some scripts and emoji fall apart


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """`text` on one line: control characters, escape codes, bidirectional overrides and lone
    surrogates are written out (`\\x1b`), so that a terminal shows them and obeys none."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_seen, text))


def _seen(char: str) -> str:
    if unicodedata.category(char) not in _UNSEEN or char in _JOINERS:
        return char
    if char in _SHOWN:
        return _SHOWN[char]
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def prose(text: str) -> str:
    """Sentences on one line, whatever whitespace they came with."""
    return " ".join(text.split())


def lines_of(text: str) -> list[str]:
    """The lines of a message or of code, tabs as spaces; none for an empty text."""
    text = text.strip("\n")
    return text.expandtabs(4).replace("\r\n", "\n").split("\n") if text else []


def line(*parts: str | tuple[str, str] | Text) -> Text:
    """One line of output: plain strings, (string, style) pairs and texts, each made safe."""
    made = Text(end="")
    for part in parts:
        if isinstance(part, Text):
            made.append_text(part)
        elif isinstance(part, tuple):
            made.append(clean(part[0]), part[1] or None)
        else:
            made.append(clean(part))
    return made


def join(parts: Sequence[Text], between: str | Text = " · ") -> Text:
    """The parts that say something, one after another."""
    gap = line((between, DIM)) if isinstance(between, str) else between
    made = Text(end="")
    for part in parts:
        if part.plain:
            made.append_text(gap if made.plain else Text())
            made.append_text(part)
    return made
