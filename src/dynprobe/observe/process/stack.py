"""Where a process was: faulthandler's dump → lines of the user's own code. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...report import Line
from ..files import PACKAGES, is_library

_MAIN = re.compile(r"^Main thread 0x([0-9a-f]+)", re.MULTILINE)
_THREAD = re.compile(r"^(Current t|T)hread 0x([0-9a-f]+)")
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$')

Stack = tuple[Line, ...]
"""Innermost first, as faulthandler prints it."""


def stack_of(dump: str, *, main_thread: bool = False) -> Stack:
    """The stack of the thread that dumped last, or of the main thread where a line
    `Main thread 0x…` names it; empty where there is none. Python cuts a dump at 100 frames a
    thread and 500 characters a name."""
    wanted = _MAIN.search(dump)
    ident = int(wanted[1], 16) if main_thread and wanted else None
    current: Stack = ()
    main: Stack = ()
    for is_current, thread, stack in _threads(dump):
        current = stack if is_current else current
        main = stack if thread == ident else main
    return main or current


def _threads(dump: str) -> Iterator[tuple[bool, int, Stack]]:
    is_current, ident, lines = False, 0, list[Line]()
    for text in dump.splitlines():
        if head := _THREAD.match(text):
            yield is_current, ident, tuple(lines)
            is_current, ident, lines = head[1] == "Current t", int(head[2], 16), []
        elif frame := _FRAME.match(text):
            lines.append(Line(file=_read(frame[1]), line=int(frame[2]), function=_read(frame[3])))
    yield is_current, ident, tuple(lines)


def _read(name: str) -> str:
    """faulthandler writes what is no ASCII as \\xff, \\uffff or \\U0001ffff."""
    if "\\" not in name:
        return name
    try:
        return name.encode("ascii").decode("unicode_escape")
    except UnicodeError:
        return name


def users_own(stack: Stack) -> Stack:
    """The lines that are neither ours nor of Python nor of an installed package."""
    return tuple(line for line in stack if not is_library(line.file))


def shown(line: Line, cwd: str) -> str:
    """`examples/x.py:12 (slow)`; relative where the file lies below `cwd` or in a package."""
    path = line.file
    if path.startswith(cwd.rstrip(os.sep) + os.sep):
        path = os.path.relpath(path, cwd)
    path = PACKAGES.split(path)[-1]
    return f"{path}:{line.line} ({line.function})" if line.function else f"{path}:{line.line}"
