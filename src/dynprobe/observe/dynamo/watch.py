"""The sink of the taps: hands what they tell to where it is understood."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType
from typing import Any

from . import taps
from .book import Book, CallRecord, FrameState, Run, Subject
from .breaks import Sites
from .graphs import count_ops, graph_of
from .lookups import Lookups
from .misses import Misses
from .records import BreakSeen, Compiling, GraphSeen, MissEnd, SizeSeen
from .shapes import Shapes, sizes_of


class Watcher:
    """One observation's sink. `why_dynamic` says why a size became a symbol where the options
    alone settle it."""

    def __init__(
        self, subject: Subject, *, graph_code: bool, state: taps.DynamoState, why_dynamic: str
    ) -> None:
        self._book = Book(subject)
        self.sites = Sites(subject.places)
        self._lookups = Lookups(self._book)
        self._misses = Misses(self._book, self.sites, self._lookups)
        self._graph_code = graph_code
        self._state = state
        self._shapes = Shapes(why_dynamic)
        self._compiling: dict[int, list[Compiling]] = {}

    # What the session calls

    def begin_call(self, index: int) -> CallRecord:
        """The record that is filled from now on."""
        record = self._book.record = CallRecord(index)
        return record

    def end_call(self) -> None:
        self._lookups.settle()
        self._compiling.clear()

    def target_frame(self) -> FrameState | None:
        return self._book.of(self._book.subject.target)

    def watched_codes(self) -> dict[int, CodeType]:
        """Frames that may run eagerly in silence, by `id`: those that Dynamo remembers as skipped,
        but for the target, and those at their limit."""
        target, frames = self._book.subject.target, self._book.frames.values()
        skipped = [f.code for f in frames if f.state == "skipped" and not f.benign]
        codes = [code for code in skipped if code is not target]
        codes += [f.code for f in frames if f.state == "limit"]
        return {id(code): code for code in codes}

    def ran(self, code: CodeType) -> None:
        """One of `watched_codes` was called: it runs in Python. Never raises: it is called in the
        midst of the target."""
        frame = self._book.of(code)
        if frame is None or frame.state != "limit":
            self.ran_skipped(code)
            return
        try:
            self._lookups.ran_eagerly(frame)
        except Exception as error:
            self._book.fault("telling a fallback", error)

    def ran_skipped(self, code: CodeType, benign: bool | None = None) -> None:
        """A frame that Dynamo remembers as skipped was called: it ran eagerly. Never raises: it is
        called in the midst of the target."""
        frame = self._book.of(code)
        if frame is None or frame.since == self._book.record.index:
            return
        reason = f"skipped in silence since call {frame.since}: {frame.skip_reason}"
        benign = frame.benign if benign is None else benign
        self._book.record.run(Run(frame, "skip", None, reason, benign))

    # What the taps call

    def miss_begins(
        self, code: CodeType, f_locals: dict[str, Any], callback: object, caller: CodeType | None
    ) -> Compiling:
        book = self._book
        self._lookups.compiles()
        if taps.is_inlining(code) and f_locals.get("fn") is book.subject.called:
            book.inlined(code)
        entries = taps.cache_entries(code)
        self._state.met(code, entries)
        own = book.own(code, taps.in_region(code, entries))
        backend = taps.backend_of(callback)
        compiling = Compiling(
            code, f_locals, own, caller=caller, state=taps.state_text(), backend=backend
        )
        self._stack().append(compiling)
        if compiling.entries:
            frame = book.frame(code)
            compiling.against = book.against(frame, compiling.entries, f_locals, backend)
            if caller is not None:
                frame.callers[id(caller)] = caller
        return compiling

    def miss_ends(self, token: object, end: MissEnd) -> None:
        stack = self._stack()
        if isinstance(token, Compiling) and token in stack:
            del stack[stack.index(token) :]
            if end.guarded is not None:
                self._read_shapes(token)
            self._misses.ends(token, end)

    def swallowed(self, error: BaseException) -> None:
        if compiling := self._now():
            compiling.swallowed = error

    def broke(self, seen: BreakSeen) -> None:
        if compiling := self._now():
            compiling.breaks.append(seen)

    def subgraph(self, broke: bool, reason: str, stack: list[Any], guards: list[Any]) -> None:
        if compiling := self._now():
            compiling.ended_in_break = broke
            compiling.end_reason, compiling.end_stack = reason, stack
            compiling.guards = guards

    def graph(self, seen: GraphSeen) -> Callable[[], None]:
        ops = count_ops(seen.module)
        self._book.record.ops_captured += ops
        try:
            self._describe(seen)
        except Exception as error:
            # Its runs are still counted: a number must not be wrong because a text is missing.
            self._book.fault("describing a graph", error)

        def ran() -> None:
            self._book.record.graph_runs += 1
            self._book.record.ops_run += ops

        return ran

    def _describe(self, seen: GraphSeen) -> None:
        if compiling := self._now():
            words, places = self._book.frame(compiling.code).words, self._book.places
            compiling.graph = graph_of(seen.module, words, places, code=self._graph_code)
            compiling.shape_env, compiling.sizes = seen.shape_env, sizes_of(seen.module)

    def _read_shapes(self, compiling: Compiling) -> None:
        """Now that the guards are made: making them narrows ranges and replaces symbols."""
        try:
            words = self._book.frame(compiling.code).words
            self._shapes.read(compiling, words, self._book.places)
        except Exception as error:
            # The entry is still known: its hits and misses are facts without its symbols.
            self._book.fault("reading the symbols of a graph", error)

    def sized(self, seen: SizeSeen) -> None:
        if compiling := self._now():
            self._shapes.sized(compiling.code, seen)

    def compiled(self) -> None:
        self._book.record.graphs_compiled += 1

    def looked_up(self, found: bool, caller: CodeType | None) -> None:
        self._lookups.looked_up(found, caller)

    def fault(self, tap: str, error: Exception) -> None:
        self._book.fault(f"the tap {tap}", error)

    def _stack(self) -> list[Compiling]:
        return self._compiling.setdefault(threading.get_ident(), [])

    def _now(self) -> Compiling | None:
        stack = self._stack()
        return stack[-1] if stack else None
