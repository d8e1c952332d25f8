"""Events as lines of JSON over a pipe: one writer in the worker, one reader in the parent."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from pydantic_core import PydanticSerializationError

from ...report.patch import Event, event_adapter

LOST = 113
"""Exit code of a worker that can no longer report: something closed its end of the pipe."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Writer:
    """Writes events to `fd`. Only the process that made it may: a forked child that returns into
    our loop leaves at once, or it would tell the parent's story a second time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pid = os.getpid()

    def __call__(self, event: Event) -> None:
        if os.getpid() != self._pid:
            os._exit(0)
        line = memoryview(encode(event))
        try:
            while line:
                line = line[os.write(self._fd, line) :]
        except OSError:
            os._exit(LOST)


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
