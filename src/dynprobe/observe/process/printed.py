"""What a target printed, call by call, out of a pipe into which its worker writes marks.

A mark is written before each event, into the same pipe as what the target prints: so what stands
between the marks of a call is what that call printed, however far the worker has run ahead.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

MOST_OF_A_CALL = 1 << 20
MOST_IN_ALL = 1 << 24
"""Bytes that are kept. What is more is counted and summed up (CRC-32)."""

Kind = Literal["+", "-", ".", "!"]
_DIGITS = 10


def mark(token: bytes, kind: Kind, index: int = 0) -> bytes:
    """`+` before a call is made, `-` after it, `!` at the end, `.` otherwise. Short enough to be
    written in one piece."""
    return token + f"{kind}{index:0{_DIGITS}d}".encode()


@dataclass
class _Text:
    kept: bytearray = field(default_factory=bytearray)
    cut: int = 0
    sum: int = 0

    def add(self, data: bytes, room: int) -> None:
        room = 0 if self.cut else max(min(room, MOST_OF_A_CALL - len(self.kept)), 0)
        self.kept += data[:room]
        rest = data[room:]
        self.cut += len(rest)
        self.sum = zlib.crc32(rest, self.sum)

    def __str__(self) -> str:
        said = self.kept.decode("utf-8", "replace")
        if not self.cut:
            return said
        return f"{said}\n… and {self.cut:,} bytes more (CRC-32 {self.sum:08x})"


class Printed:
    """Bytes in, texts out. `token` is what each mark begins with: bytes that no target prints by
    chance."""

    def __init__(self, token: bytes) -> None:
        self._token = token
        self._length = len(mark(token, "."))
        self._rest = b""
        self._texts: dict[int, _Text] = {}
        self._now: _Text | None = None
        self._kept = 0
        self.ended = False  # the mark of the last event was met

    def feed(self, data: bytes) -> bytes:
        """What was printed, without the marks; the beginning of a mark waits for its end."""
        self._rest += data
        return b"".join(self._pieces())

    def end(self) -> bytes:
        """What waited for the rest of a mark that never came."""
        rest, self._rest = self._rest, b""
        self._take(rest)
        return rest

    def texts(self) -> dict[int, str]:
        """For each call that was begun, what it printed when it was made first. A text that is
        cut ends in how much more there was."""
        return {index: str(text) for index, text in self._texts.items()}

    def _pieces(self) -> Iterator[bytes]:
        while (at := self._rest.find(self._token)) >= 0:
            yield self._took(at)
            if len(self._rest) < self._length:
                return
            self._marked(self._rest[len(self._token) : self._length])
            self._rest = self._rest[self._length :]
        yield self._took(len(self._rest) - self._begun())

    def _took(self, size: int) -> bytes:
        piece, self._rest = self._rest[:size], self._rest[size:]
        self._take(piece)
        return piece

    def _begun(self) -> int:
        """How many of the last bytes may be the beginning of a token."""
        most = min(len(self._token) - 1, len(self._rest))
        return next((n for n in range(most, 0, -1) if self._rest.endswith(self._token[:n])), 0)

    def _take(self, data: bytes) -> None:
        if self._now is None or not data:
            return
        before = len(self._now.kept)
        self._now.add(data, MOST_IN_ALL - self._kept)
        self._kept += len(self._now.kept) - before

    def _marked(self, said: bytes) -> None:
        self._now = None
        self.ended = said[:1] == b"!"
        if said[:1] != b"+":
            return
        index = int(said[1:])
        if index not in self._texts:  # one made again tells nothing of the first time
            self._now = self._texts[index] = _Text()
