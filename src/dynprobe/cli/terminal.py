"""What the terminal is like, and writing to it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import TextIO

from dynprobe.errors import DynprobeError

PIPED_WIDTH = 120
LEAST_WIDTH = 40


class Color(StrEnum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def uses_color(wanted: Color, stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """`--color`, then NO_COLOR, then FORCE_COLOR, then whether `stream` is a terminal."""
    if wanted is not Color.AUTO:
        return wanted is Color.ALWAYS
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def width_of(
    wanted: int | None, stream: TextIO | None, environ: Mapping[str, str] = os.environ
) -> int:
    """`--width`, else COLUMNS, else the terminal's, else 120; in cells, at least 40."""
    if wanted is None:
        columns = environ.get("COLUMNS", "")
        wanted = int(columns) if columns.isdecimal() and int(columns) else None
    if wanted is None and is_terminal(stream):
        wanted = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns
    return max(wanted or PIPED_WIDTH, LEAST_WIDTH)


_ASCII: dict[str, str | int | None] = {
    "→": "->",
    "×": "x",
    "…": "...",
    "–": "-",
    "·": "-",
    "≤": "<=",
    "≥": ">=",
}


def write_out(text: str) -> None:
    """To stdout, whatever its encoding; a reader that went away (`| head`) is no error.

    Raises:
        DynprobeError: stdout cannot be written to.
    """
    out = sys.stdout
    if out is None:
        return
    try:
        out.write(_encodable(text, out.encoding or "utf-8"))
        out.flush()
    except BrokenPipeError:
        leave_stdout()
    except OSError as error:
        leave_stdout()
        raise DynprobeError(f"cannot write to standard output: {error.strerror}") from None


def _encodable(text: str, encoding: str) -> str:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.translate(str.maketrans(_ASCII))
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def leave_stdout() -> None:
    """So that Python, as it ends, does not complain that stdout is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
