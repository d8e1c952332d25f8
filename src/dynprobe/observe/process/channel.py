"""Events as lines of JSON over a pipe: one writer in the worker, one reader in the parent."""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

from pydantic_core import PydanticSerializationError

from ...report.patch import Began, Event, Failed, Finished, Patch, event_adapter
from .printed import mark

LOST = 113
"""Exit code of a worker that can no longer report: something closed its end of the pipe."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Writer:
    """Writes events to `fd`. Only the process that made it may: a forked child that returns into
    our loop leaves at once, or it would tell the parent's story a second time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pid = os.getpid()

    def leave_if_forked(self) -> None:
        if os.getpid() != self._pid:
            os._exit(0)

    def __call__(self, event: Event) -> None:
        self.leave_if_forked()
        line = memoryview(encode(event))
        try:
            while line:
                line = line[os.write(self._fd, line) :]
        except OSError:
            os._exit(LOST)


class MarkingWriter:
    """As `Writer`, and before each event what was printed goes out, with a mark after it, into
    `printed`: a duplicate of standard output as it was at first."""

    def __init__(self, write: Writer, printed: int, token: bytes) -> None:
        self._write = write
        self._printed = printed
        self._token = token
        self._stdout = sys.stdout
        self._flush_c = _flush_of_c()

    def __call__(self, event: Event) -> None:
        self._write.leave_if_forked()
        with suppress(Exception):  # the target closed it
            self._stdout.flush()
        self._flush_c()
        self._put(_mark_of(event, self._token))
        self._write(event)

    def _put(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self._printed, data) :]
            except BlockingIOError:  # the target made the pipe so
                select.select([], [self._printed], [])
            except OSError:
                return


def _mark_of(event: Event, token: bytes) -> bytes:
    if isinstance(event, Began):
        return mark(token, "+", event.index)
    if isinstance(event, Patch):
        return mark(token, "-", event.call.index)
    return mark(token, "!" if isinstance(event, Finished | Failed) else ".")


def _flush_of_c() -> Callable[[], object]:
    """Flushes C's own `stdout` alone: of all streams, one that another thread reads would block."""
    libc = ctypes.CDLL(None)
    for name in ("stdout", "__stdoutp"):
        with suppress(ValueError):
            stream = ctypes.c_void_p.in_dll(libc, name)
            return lambda: libc.fflush(stream)
    return lambda: None


class Reader:
    """Bytes in, whole events out. A last line that was cut off is dropped."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that `data` completes. Raises pydantic.ValidationError on a line that is
        none, which only a foreign writer can send."""
        self._rest += data
        if b"\n" not in data:
            return
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            yield event_adapter.validate_json(line)


def encode(event: Event) -> bytes:
    """One line. A lone surrogate (of a file name that is no UTF-8) is written as its escape."""
    try:
        return event.model_dump_json().encode() + b"\n"
    except PydanticSerializationError:
        text = json.dumps(event.model_dump(mode="python"), ensure_ascii=False)
        return _SURROGATE.sub(_escape, text).encode() + b"\n"


def _escape(match: re.Match[str]) -> str:
    return f"\\\\u{ord(match[0]):04x}"
