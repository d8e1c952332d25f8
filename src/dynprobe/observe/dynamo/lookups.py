"""Cache look-ups: which entry a frame hit, and which frame ran eagerly without a word.

torch's hook tells one bool for each guarded evaluation of a frame, in order. The entry that was
hit has just told of itself. A look-up that failed is followed by Dynamo's attempt to compile the
frame, on the same thread; where none follows, the frame ran eagerly in silence.
"""

from __future__ import annotations

import threading
from types import CodeType
from typing import Any, NamedTuple

from ...report import Against
from .against import first_reason
from .book import Book, EntryState, FrameState, Run
from .taps import watch_tries


class _Missed(NamedTuple):
    """A look-up that failed: the frame it was in, as far as that is known, and why."""

    frame: FrameState | None
    against: tuple[Against, ...]


class _Thread:
    """What one thread is in the midst of."""

    def __init__(self) -> None:
        self.missed: _Missed | None = None
        self.tried: tuple[FrameState, dict[str, Any]] | None = None
        self.passed = False


class Lookups:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._threads: dict[int, _Thread] = {}

    def passed(self, frame: FrameState, entry: EntryState) -> None:
        """All guards of `entry` held. Never raises: it is called in the midst of torch's check."""
        try:
            self._passed(frame, entry)
        except Exception as error:
            self._book.fault("telling a hit", error)

    def _passed(self, frame: FrameState, entry: EntryState) -> None:
        self._thread().passed = True
        reason = None
        if frame.state == "limit":
            reason = "an old entry still matches, though the recompile limit was reached"
        self._book.record.run(Run(frame, "hit", entry.compile_id, reason))
        if entry.site:
            entry.site.cross(frame.code)

    def looked_up(self, found: bool, caller: CodeType | None) -> None:
        """A guarded frame was evaluated; `found`: an entry matched."""
        thread = self._thread()
        self._settle(thread)
        tried, thread.tried = thread.tried, None
        if found and not thread.passed:
            reason = "an entry from before this observation"
            self._book.record.run(Run(None, "hit", None, reason))
        elif not found and tried is not None:
            # A frame at its limit is not compiled again. Its values are read now: it runs next.
            self._fell_back(*tried)
        elif not found:
            thread.missed = self._missed(caller)
        thread.passed = False

    def compiles(self) -> None:
        """Dynamo was asked to compile the frame whose look-up failed."""
        self._thread().missed = None

    def ran_eagerly(self, frame: FrameState) -> None:
        """A frame at its limit runs in Python: the look-up that just failed was its own."""
        thread = self._thread()
        missed, thread.missed = thread.missed, None
        if missed is not None:
            self._state_failed(frame, self._book.against_state(frame), attributed=True)

    def limit(self, frame: FrameState, managers: list[Any]) -> None:
        """The frame reached its limit: from now on its entries tell when they are tried."""
        for manager in managers:
            watch_tries(manager, lambda f_locals: self._tried(frame, f_locals))

    def settle(self) -> None:
        """At the end of a call: look-ups that failed and that no attempt to compile followed."""
        for thread in list(self._threads.values()):
            self._settle(thread)

    def _thread(self) -> _Thread:
        return self._threads.setdefault(threading.get_ident(), _Thread())

    def _tried(self, frame: FrameState, f_locals: dict[str, Any]) -> None:
        self._thread().tried = (frame, f_locals)

    def _settle(self, thread: _Thread) -> None:
        missed, thread.missed = thread.missed, None
        if missed is not None:
            self._state_failed(missed.frame, missed.against, attributed=False)

    def _state_failed(
        self, frame: FrameState | None, against: tuple[Against, ...], *, attributed: bool
    ) -> None:
        """A fallback in silence, of which no entry told that it was tried."""
        reason = "no entry matched and Dynamo may not add one here"
        if frame is not None and against:
            reason = f"recompile limit, reached at call {frame.since}: {first_reason(against)}"
            self._book.recompiled(frame, against)
        self._book.record.run(Run(frame, "fallback", None, reason, attributed=attributed))

    def _fell_back(self, frame: FrameState, f_locals: dict[str, Any]) -> None:
        book = self._book
        against = book.against(frame, book.own_entries(frame.code), f_locals, None)
        reason = f"recompile limit, reached at call {frame.since}: {first_reason(against)}"
        book.record.run(Run(frame, "fallback", None, reason))
        book.recompiled(frame, against)

    def _missed(self, caller: CodeType | None) -> _Missed:
        """A look-up that failed on a guard of the process's state (grad mode and the like), or in
        a frame whose entries tell of no try: which frame it was is told by its caller, where that
        calls just one such frame. The state is read now, for it may change before all is settled.
        """
        frames = list(self._book.frames.values())
        limited = [f for f in frames if f.state == "limit"]
        likely = [f for f in limited or frames if id(caller) in f.callers]
        if len(likely) != 1:
            return _Missed(None, ())
        frame = likely[0]
        against = self._book.against_state(frame) if frame.state == "limit" else ()
        return _Missed(frame, against)
