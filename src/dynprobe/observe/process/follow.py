"""Follows an observation in its process: events in, time limits kept, a report out."""

from __future__ import annotations

import os
import select
import selectors
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from ...errors import InternalError
from ...report import End, Report
from ...report.patch import Event
from ..assemble import Assembler
from .channel import Reader
from .ending import (
    Ending,
    as_call_error,
    as_end,
    by_exit,
    by_interrupt,
    by_time_limit,
    raise_unloaded,
    unloaded,
)
from .failure import error_of
from .printed import Printed
from .start import Worker

IMPORT_LIMIT = 300.0
"""Seconds for the worker to import torch: from a cold disk that is slow, and no fault of the
target's, so its time limit does not count yet."""

_TICK = 0.05  # seconds between looks at a process whose pipes something else may hold open
_STACK_LIMIT = 1.0  # seconds for a worker to say where it is
_STACK_QUIET = 0.1  # seconds of silence after which it has said so
_STACK_BYTES = 1 << 18  # of the last dumps
_CHUNK = 1 << 20
_DRAIN_LIMIT = 2.0  # seconds for what is left in the pipes of a process that ended
_STDERR = 2


@dataclass(frozen=True)
class Followed:
    """What a worker told up to its end. `ending` is None where it told its own; `printed` has
    what was printed in each call, of a worker whose output is kept."""

    target: str
    seen: Assembler
    ending: Ending | None
    printed: Mapping[int, str]

    def report(self) -> Report:
        """See `Worker.finish`."""
        return _report(self.seen, self.ending, self.target)

    @property
    def why_cut_short(self) -> str | None:
        """Why it told no more, in one sentence; None where it told all."""
        if self.seen.failed is not None:
            return self.seen.failed.message
        if self.ending is None:
            return None
        if self.seen.loaded is None:
            return unloaded(self.ending, self.seen, self.target)
        return as_end(self.ending, self.seen).message


def follow(worker: Worker, on_event: Callable[[Event], None] | None = None) -> Followed:
    """To the worker's end. An interrupt once the target is loaded is an ending too; before that
    it passes.

    Raises InternalError where the worker sends what is no event.
    """
    follower = _Follower(worker, on_event)
    try:
        ending = follower.until_end()
    except KeyboardInterrupt:
        follower.read(0)  # a pipe's whole content, once: the worker may be writing on and on
        if follower.seen.loaded is None:
            raise
        ending = by_interrupt(follower.stacks_now())
    finally:
        follower.close()
    target = worker.probe.target.text if worker.probe else "the target"
    return Followed(target, follower.seen, ending, follower.printed.texts())


def _report(seen: Assembler, ending: Ending | None, target: str) -> Report:
    if seen.failed is not None:
        error = error_of(seen.failed)
        if not seen.calls or isinstance(error, InternalError):
            raise error
        message = error.message
        return seen.report(End(complete=False, kind="failed", message=message))
    if ending is None:
        return seen.report(End(complete=True, kind="done"))
    if seen.loaded is None:
        raise_unloaded(ending, seen, target)
    return seen.report(as_end(ending, seen), as_call_error(ending, seen))


class _Follower:
    def __init__(self, worker: Worker, on_event: Callable[[Event], None] | None) -> None:
        self.seen = Assembler()
        self._worker = worker
        self._on_event = on_event
        self._reader = Reader()
        self._stacks = bytearray()
        self._limit = worker.probe.options.timeout if worker.probe else IMPORT_LIMIT
        self._deadline = time.monotonic() + IMPORT_LIMIT
        self.printed = Printed(worker.token)
        self._shown: int | None = _STDERR if worker.shown else None
        self._selector = selectors.DefaultSelector()
        self._register(worker.channel, self._take_events)
        self._register(worker.stacks, self._take_stacks)
        if worker.printed is not None:
            self._register(worker.printed, self._take_printed)

    def _register(self, fd: int, take: Callable[[bytes], None]) -> None:
        os.set_blocking(fd, False)
        self._selector.register(fd, selectors.EVENT_READ, take)

    def close(self) -> None:
        self._show(self.printed.end())
        self._selector.close()

    def until_end(self) -> Ending | None:
        """None where the observation told its own end."""
        while not self._told_end():
            self.read(_TICK)
            returncode = self._worker.returncode()
            if returncode is not None:
                self._drain(self._told_end)
                if not self._told_end():
                    return by_exit(returncode, self._dump())
            if self._is_late():
                limit = self._limit if self.seen.started else IMPORT_LIMIT
                return by_time_limit(limit, self.stacks_now())
        if self._worker.printed is not None:
            self._drain(lambda: self.printed.ended)
        return None

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline

    def _told_end(self) -> bool:
        return self.seen.finished or self.seen.failed is not None

    def read(self, wait: float) -> bool:
        """Takes what is there within `wait` s; whether anything was."""
        if not self._selector.get_map():  # the process has closed its ends: it is about to go
            self._worker.returncode(wait)
            return False
        ready = self._selector.select(wait)
        for key, _ in ready:
            key.data(self._chunk(key.fd))
        return bool(ready)

    def _chunk(self, fd: int) -> bytes:
        data = os.read(fd, _CHUNK)
        if not data:
            self._selector.unregister(fd)
        return data

    def _drain(self, told_all: Callable[[], bool]) -> None:
        """What the process wrote before it ended; something it left may keep the pipes open, and
        write on and on."""
        until = time.monotonic() + _DRAIN_LIMIT
        while not told_all() and self.read(0) and time.monotonic() < until:
            pass

    def _take_events(self, data: bytes) -> None:
        for event in self._events(data):
            self.seen.apply(event)
            self._deadline = time.monotonic() + self._limit
            if self._on_event is not None:
                self._on_event(event)

    def _events(self, data: bytes) -> list[Event]:
        try:
            return list(self._reader.feed(data))
        except ValidationError as error:
            message = "the worker sent a line that is no event"
            raise InternalError(message, detail=str(error)) from error

    def _take_printed(self, data: bytes) -> None:
        self._show(self.printed.feed(data))

    def _show(self, data: bytes) -> None:
        """On our stderr, where the target's output goes; a stderr that is gone is no reason to
        fail."""
        while data and self._shown is not None:
            try:
                data = data[os.write(self._shown, data) :]
            except BlockingIOError:
                select.select([], [self._shown], [])
            except OSError:
                self._shown = None

    def _take_stacks(self, data: bytes) -> None:
        self._stacks += data
        head = self._stacks.find(b"\n") + 1
        if len(self._stacks) > 2 * _STACK_BYTES:  # the first line names the main thread
            del self._stacks[head:-_STACK_BYTES]

    def stacks_now(self) -> str:
        """Asks the process where it is; "" where it does not say. No event counts any more: the
        signal that asks may cut short what the target waits for."""
        if self._worker.channel in self._selector.get_map():
            self._selector.unregister(self._worker.channel)
        before = len(self._stacks)
        self._worker.ask_stacks()
        until = time.monotonic() + _STACK_LIMIT
        while time.monotonic() < until:
            if not self.read(_STACK_QUIET) and len(self._stacks) != before:
                break
        return self._dump()

    def _dump(self) -> str:
        return self._stacks.decode("ascii", "replace")
