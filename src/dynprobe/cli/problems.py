"""Failures in words on stderr: one sentence each, evidence below it, no traceback of ours."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

from dynprobe.errors import DynprobeError, GrammarError, InternalError

from .terminal import Color, uses_color

_SHOWN = 60  # characters of a text on either side of the caret


def wants_traceback(arguments: list[str]) -> bool:
    asked = os.environ.get("DYNPROBE_TRACEBACK", "0") not in ("", "0")
    return asked or "-v" in arguments or "--verbose" in arguments


def say(text: str) -> None:
    """A line on stderr; a stderr that is gone is no reason to fail."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass
    except UnicodeEncodeError:
        print(ascii(text), file=sys.stderr, flush=True)


def tell(error: DynprobeError, *, verbose: bool = False) -> None:
    """The sentence, a caret under the place in what was typed, the hint, the evidence."""
    if isinstance(error, InternalError):
        _tell_fault(error.message, error.detail or "", verbose)
        return
    say(f"{_label('error', '31')} {_lines(error.message)}")
    if isinstance(error, GrammarError):
        for line in caret(error.text, error.position):
            say(f"  {line}")
    if error.hint:
        say(f"{_label('hint', '36')} {_lines(error.hint)}")
    if error.detail:
        say("\n" + _lines(error.detail.rstrip("\n")))


def caret(text: str, position: int) -> tuple[str, str]:
    """The part of `text` around `position`, and a line with `^` under that character."""
    from rich.cells import cell_len

    from dynprobe.render.text.style import clean

    start = max(position - _SHOWN, 0)
    before = ("…" if start else "") + clean(text[start:position])
    after = clean(text[position : position + _SHOWN])
    more = "…" if position + _SHOWN < len(text) else ""
    return before + after + more, " " * cell_len(before) + "^"


def tell_usage(error: Any) -> None:
    """An error of the command line's own parser, in the same form as ours."""
    message = error.format_message().strip().replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "dynprobe"
    say(f"{_label('error', '31')} {_lines(message[:1].lower() + message[1:].rstrip('.'))}")
    say(f"{_label('hint', '36')} {path} --help")


def tell_fault(error: Exception, *, verbose: bool) -> None:
    told = "".join(traceback.format_exception(error))
    _tell_fault(f"{type(error).__name__}: {error}", told, verbose)


def _tell_fault(message: str, told: str, verbose: bool) -> None:
    say(f"{_label('error', '31')} a fault of dynprobe itself: {_lines(message)}")
    if verbose and told:
        say("\n" + _lines(told.rstrip("\n")))
    else:
        say(f"{_label('hint', '36')} DYNPROBE_TRACEBACK=1 shows where; {_where_to_report()}")


def _where_to_report() -> str:
    from importlib.metadata import PackageNotFoundError, metadata  # a tenth of `dynprobe --help`

    try:
        urls = metadata("dynprobe").get_all("Project-URL") or []
    except PackageNotFoundError:
        urls = []
    named = dict(url.split(", ", 1) for url in urls if ", " in url)
    where = named.get("Issues") or "dynprobe's issue tracker"
    return f"please report it, with the command, at {where}"


def _label(word: str, color: str) -> str:
    if uses_color(Color.AUTO, sys.stderr, os.environ):
        return f"\x1b[1;{color}m{word}:\x1b[0m"
    return f"{word}:"


def _lines(text: str) -> str:
    """Foreign text, its lines kept and its control characters written out."""
    if text.isascii() and text.isprintable():
        return text
    from dynprobe.render.text.style import clean

    return "\n".join(clean(line.expandtabs(4)) for line in text.split("\n"))
