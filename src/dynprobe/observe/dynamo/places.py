"""Lines of source: whose they are, and how a frame is called."""

from __future__ import annotations

import linecache
import os
import re
import sys
from collections.abc import Iterable, Sequence
from types import CodeType, FrameType
from typing import Any

from ...report import Line
from ..files import is_library, library_roots
from .taps import RESUME_PREFIX

_CALLING = os.path.join(os.path.dirname(__file__), "calling.py")  # calls the target
_RESUME = re.compile(rf"{RESUME_PREFIX}(?P<name>.+)_at_(?P<line>\d+)")


class Places:
    """Tells the user's files from libraries'. A file is the user's unless it lies in the standard
    library, in torch or in an installed package; the target's own file always is."""

    def __init__(self, own_file: str | None) -> None:
        self._own = own_file
        self._known: set[str] = set()
        self._completed: dict[str, str] = {}
        self._lines: dict[tuple[str, int, str], Line] = {}
        self._users: dict[str, bool] = {}
        self.note_file(own_file)

    def note_file(self, file: str | None) -> None:
        """Remembers a full path, so that the end of it that torch prints can be completed."""
        if file:
            self._known.add(file)

    def is_user(self, file: str) -> bool:
        if file not in self._users:
            self._users[file] = file == self._own or not is_library(file)
        return self._users[file]

    def nearest_user(self, stack: Sequence[Line]) -> Line | None:
        """The innermost line of the user's own code in a stack that runs outermost first."""
        return next((line for line in reversed(stack) if self.is_user(line.file)), None)

    def near(self, where: Line | None, stack: Sequence[Line]) -> Line | None:
        """The user's line to name beside `where`, which a library's code is at; else None."""
        if where is None or self.is_user(where.file):
            return None
        return self.nearest_user(stack)

    def caller(self) -> Line | None:
        """The line of the user's own code that Python is at now, nearest first; not the line that
        called dynprobe."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.is_user(frame.f_code.co_filename):
            if frame.f_code.co_filename == _CALLING:
                return None
            frame = frame.f_back
        if frame is None:
            return None
        code = frame.f_code
        return self.line(code.co_filename, frame.f_lineno or code.co_firstlineno, code.co_name)

    def stack(self, summaries: Iterable[Any]) -> tuple[Line, ...]:
        """Lines of a `traceback.StackSummary`, outermost first."""
        return tuple(self.line(s.filename, s.lineno or 0, s.name) for s in summaries)

    def line(self, file: str, line: int, function: str) -> Line:
        """As `make_line`, of a code object's name. One line stands for all that is on it:
        thousands of guards and operations hang on a few."""
        key = (file, line, function)
        found = self._lines.get(key)
        if found is None:
            self.note_file(file)
            found = self._lines[key] = make_line(file, line, clean_name(function))
        return found

    def complete(self, short: str) -> str:
        """The full path of a file whose path torch cut at the front."""
        if short not in self._completed:
            self._completed[short] = self._complete(short)
        return self._completed[short]

    def _complete(self, short: str) -> str:
        for root in library_roots():
            path = os.path.join(root, short)
            if os.path.exists(path):
                return path
        known = [file for file in self._known if file.endswith(short)]
        return min(known, key=len, default=short)


def make_line(file: str, line: int, function: str | None) -> Line:
    text = linecache.getline(file, line).strip() or None
    return Line(file=file, line=line, function=function, text=text)


_AROUND = 2  # lines told before and after one


def context_of(line: Line) -> tuple[Line, ...]:
    """The lines around one, itself among them, with their indentation; none where the source
    cannot be read."""
    source = linecache.getlines(line.file)
    if not 1 <= line.line <= len(source):
        return ()
    first, last = max(line.line - _AROUND, 1), min(line.line + _AROUND, len(source))
    return tuple(
        Line(file=line.file, line=number, text=source[number - 1].rstrip())
        for number in range(first, last + 1)
    )


def clean_name(name: str) -> str:
    """`torch_dynamo_resume_in_f_at_13` is `f`, resumed."""
    match = _RESUME.fullmatch(name)
    return match["name"] if match else name


def resumed_line(code: CodeType) -> int | None:
    match = _RESUME.fullmatch(code.co_name)
    return int(match["line"]) if match else None


def frame_name(code: CodeType) -> str:
    """The function's qualified name as the user wrote it; a resume function has its origin's."""
    outer, dot, _ = code.co_qualname.replace("<locals>.", "").rpartition(".")
    return f"{outer}{dot}{clean_name(code.co_name)}"
