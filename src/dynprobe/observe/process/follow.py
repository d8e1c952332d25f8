"""Follows an observation in its process: events in, time limits kept, a report out."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable

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
)
from .failure import error_of
from .start import Worker

IMPORT_LIMIT = 300.0
"""Seconds for the worker to import torch: from a cold disk that is slow, and no fault of the
target's, so its time limit does not count yet."""

_TICK = 0.05  # seconds between looks at a process whose pipes something else may hold open
_STACK_LIMIT = 1.0  # seconds for a worker to say where it is
_STACK_QUIET = 0.1  # seconds of silence after which it has said so
_STACK_BYTES = 1 << 18  # of the last dumps
_CHUNK = 1 << 20


def follow(worker: Worker, on_event: Callable[[Event], None] | None = None) -> Report:
    """See `Worker.finish`."""
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
    return _report(follower.seen, ending, worker)


def _report(seen: Assembler, ending: Ending | None, worker: Worker) -> Report:
    if seen.failed is not None:
        error = error_of(seen.failed)
        if not seen.calls or isinstance(error, InternalError):
            raise error
        message = error.message
        return seen.report(End(complete=False, kind="failed", message=message))
    if ending is None:
        return seen.report(End(complete=True, kind="done"))
    if seen.loaded is None:
        raise_unloaded(ending, seen, worker.probe.target.text if worker.probe else "the target")
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
        self._selector = selectors.DefaultSelector()
        for fd, take in ((worker.channel, self._take_events), (worker.stacks, self._take_stacks)):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, take)

    def close(self) -> None:
        self._selector.close()

    def until_end(self) -> Ending | None:
        """None where the observation told its own end."""
        while not self._told_end():
            self.read(_TICK)
            returncode = self._worker.returncode()
            if returncode is not None:
                self._drain()
                return None if self._told_end() else by_exit(returncode, self._dump())
            if self._is_late():
                limit = self._limit if self.seen.started else IMPORT_LIMIT
                return by_time_limit(limit, self.stacks_now())
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

    def _drain(self) -> None:
        """What the process wrote before it ended; something it left may keep the pipes open."""
        while self.read(0) and not self._told_end():
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
