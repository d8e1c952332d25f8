"""The sink of the taps: turns what they tell into frames, entries, breaks and runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType
from typing import Any

from ...report import Against, Effect, Entry, Outcome, Recompile, Unknown
from . import taps
from .book import CallRecord, EntryState, FrameState, Run
from .breaks import Site, Sites
from .failing import against_entry
from .graphs import count_ops, dynamic_dims, graph_of
from .guards import guard_rows, stacks_of
from .places import Places, frame_name, resumed_line
from .records import BreakSeen, Compiling, EntryHandle, GraphSeen, MissEnd
from .skips import is_noise, plain_skip
from .words import Words


class _Thread:
    """What one thread is in the midst of."""

    def __init__(self) -> None:
        self.compiling: list[Compiling] = []
        self.missed: tuple[CodeType | None] | None = None  # a lookup that failed; its caller
        self.tried: tuple[FrameState, dict[str, Any]] | None = None
        self.passed = False


class Watcher:
    """One observation's sink. `target` is the code object of the function that is called,
    `wrappers` it and those of the decorators around it, `positional` the names of its parameters;
    `why_dynamic` says why a size became a symbol where
    the options alone settle it."""

    def __init__(
        self,
        *,
        target: CodeType | None,
        wrappers: frozenset[CodeType],
        positional: tuple[str, ...],
        places: Places,
        graph_code: bool,
        state: taps.DynamoState,
        why_dynamic: str | None,
    ) -> None:
        self.record = CallRecord(-1)
        self.sites = Sites(places)
        self.target = target
        self._wrappers = wrappers
        self._positional = positional
        self._places = places
        self._graph_code = graph_code
        self._state = state
        self._why_dynamic = why_dynamic
        self._frames: dict[CodeType, FrameState] = {}
        self._ours: set[int] = set()
        self._threads: dict[int, _Thread] = {}

    # What the taps call

    def miss_begins(
        self, code: CodeType, f_locals: dict[str, Any], callback: object, caller: CodeType | None
    ) -> Compiling:
        thread = self._thread()
        thread.missed = None
        entries = taps.cache_entries(code)
        self._state.met(code, entries)
        mine = [e for e in entries if id(e.manager) in self._ours]
        compiling = Compiling(code, f_locals, mine)
        if mine:
            backend = taps.backend_of(callback)
            compiling.against = self._against(self._frame(code), mine, f_locals, backend)
        if code in self._frames and caller is not None:
            self._frames[code].callers.add(caller)
        compiling.caller = caller
        thread.compiling.append(compiling)
        return compiling

    def miss_ends(self, token: object, end: MissEnd) -> None:
        assert isinstance(token, Compiling)
        thread = self._thread()
        if token in thread.compiling:
            del thread.compiling[thread.compiling.index(token) :]
        if is_noise(end.skip_reason) and token.code is not self.target:
            return
        if end.guarded is not None:
            self._captured(token, end)
        elif end.raised is not None:
            reason = f"{type(end.raised).__name__} while it was captured"
            self.record.run(Run(self._frame(token.code), "error", None, reason))
        elif _is_limit(token.swallowed, end):
            self._limit_reached(token)
        else:
            self._given_up(token, end)

    def swallowed(self, error: BaseException) -> None:
        if compiling := self._compiling():
            compiling.swallowed = error

    def broke(self, seen: BreakSeen) -> None:
        if compiling := self._compiling():
            compiling.breaks.append(seen)

    def subgraph(
        self, broke: bool, reason: str, stack: list[Any], output: object, guards: list[Any]
    ) -> None:
        if compiling := self._compiling():
            compiling.ended_in_break = broke
            compiling.end_reason, compiling.end_stack = reason, stack
            compiling.guards = guards

    def graph(self, seen: GraphSeen) -> Callable[[], None]:
        ops = count_ops(seen.module)
        self.record.ops_captured += ops
        if compiling := self._compiling():
            words = self._frame(compiling.code).words
            compiling.graph = graph_of(seen.module, words, self._places, code=self._graph_code)
            compiling.dims = dynamic_dims(seen.module, seen.shape_env, words, self._why_dynamic)

        def ran() -> None:
            self.record.graph_runs += 1
            self.record.ops_run += ops

        return ran

    def compiled(self) -> None:
        self.record.graphs_compiled += 1

    def looked_up(self, found: bool, caller: CodeType | None) -> None:
        thread = self._thread()
        self._settle(thread)
        if not found:
            thread.missed = (caller,)
        elif not thread.passed:
            self.record.run(Run(None, "hit", None, "an entry from before this observation"))
        if found:
            thread.tried = None
        thread.passed = False

    def fault(self, tap: str, error: Exception) -> None:
        """A tap failed: what it would have told is unknown, and the target goes on unharmed."""
        said = f"{type(error).__name__}: {error}"
        self.record.unknown.append(
            Unknown(
                what=f"part of call {self.record.index}", reason=f"the tap {tap} failed: {said}"
            )
        )

    # What the session calls

    def end_call(self) -> None:
        """Settles what is open: a failed lookup that no miss followed ran eagerly in silence."""
        for thread in list(self._threads.values()):
            self._settle(thread)
            thread.compiling.clear()

    def skipped_codes(self) -> set[CodeType]:
        """Frames other than the target that Dynamo remembers as skipped."""
        return {
            code for code, f in self._frames.items() if f.state == "skipped" and not f.benign
        } - {self.target}

    def ran_skipped(self, code: CodeType, benign: bool | None = None) -> None:
        frame = self._frames[code]
        if frame.since == self.record.index:
            return
        reason = f"skipped in silence since call {frame.since}: {frame.skip_reason}"
        self.record.run(
            Run(frame, "skip", None, reason, frame.benign if benign is None else benign)
        )

    def frame_of(self, code: CodeType | None) -> FrameState | None:
        return self._frames.get(code) if code is not None else None

    # Helpers

    def _thread(self) -> _Thread:
        return self._threads.setdefault(threading.get_ident(), _Thread())

    def _compiling(self) -> Compiling | None:
        stack = self._thread().compiling
        return stack[-1] if stack else None

    def _frame(self, code: CodeType) -> FrameState:
        frame = self._frames.get(code)
        if frame is None:
            wraps = code in self._wrappers
            shown = self.target if wraps and self.target else code
            words = Words(code, self._positional if wraps else ())
            frame = FrameState(len(self._frames), code, shown, words)
            self._frames[code] = frame
        self.record.touched[frame.key] = frame
        return frame

    def _against(
        self, frame: FrameState, entries: list[EntryHandle], f_locals: dict[str, Any], backend: Any
    ) -> tuple[Against, ...]:
        rows = []
        for entry in entries:
            known = frame.entries.get(entry.compile_id)
            stacks = known.stacks if known else {}
            rows.append(against_entry(entry, f_locals, backend, frame.words, self._places, stacks))
        return tuple(sorted(rows, key=lambda row: len(row.failed) or 99))

    def _captured(self, compiling: Compiling, end: MissEnd) -> None:
        code, frame = compiling.code, self._frame(compiling.code)
        frame.state, frame.skip_reason = "compiled", None
        if compiling.caller is not None:
            frame.callers.add(compiling.caller)
        handle = taps.guarded_entry(end.guarded)
        self._ours.add(id(handle.manager))
        site = self._site(compiling)
        stacks = stacks_of(compiling.guards, self._places)
        entry = EntryState(handle.compile_id, stacks, site)
        frame.entries[handle.compile_id] = entry
        self.record.new_entry(
            frame,
            Entry(
                compile_id=handle.compile_id,
                call=self.record.index,
                guards=guard_rows(handle.manager, frame.words, self._places, stacks),
                graph=compiling.graph,
                dynamic_dims=compiling.dims,
                break_at=site.index if site else None,
            ),
        )
        taps.watch_entry(handle.manager, lambda: self._passed(frame, entry))
        self._made(frame, handle.compile_id, compiling)
        if site:
            site.cross(code)

    def _made(self, frame: FrameState, compile_id: str, compiling: Compiling) -> None:
        """The run that made the entry: a recompile where entries were there that did not match."""
        outcome: Outcome = "recompile" if compiling.entries else "capture"
        line = resumed_line(frame.code)
        side = self._side(frame, line) if line else None
        reason = first_reason(compiling.against) if compiling.entries else side
        self.record.run(Run(frame, outcome, compile_id, reason))
        if compiling.entries:
            self._recompile(frame, compile_id, tuple(compiling.against), compiling)

    def _side(self, frame: FrameState, line: int) -> str:
        """Why a resume function is captured: it goes on after a break, maybe on the other side."""
        name = frame_name(frame.code)
        for other in self._frames.values():
            same = resumed_line(other.code) == line and frame_name(other.code) == name
            if same and other is not frame and other.code.co_filename == frame.code.co_filename:
                return f"the other side of the branch at line {line}"
        return f"goes on after the break at line {line}"

    def _recompile(
        self, frame: FrameState, compile_id: str | None, against: tuple[Against, ...],
        compiling: Compiling | None,
    ) -> None:  # fmt: skip
        dims = compiling.dims if compiling else ()
        name, file, line = frame.place()
        self.record.recompiles.append(
            Recompile(
                call=self.record.index,
                frame=name,
                file=file,
                line=line,
                compile_id=compile_id,
                fallback=compile_id is None,
                dynamic_dims=tuple(
                    d.source if d.dim is None else f"{d.source}.shape[{d.dim}]" for d in dims
                ),
                against=against,
            )
        )

    def _site(self, compiling: Compiling) -> Site | None:
        """The place of the break that ended the captured graph, if one did."""
        if not compiling.ended_in_break:
            return None
        code, call = compiling.code, self.record.index
        if not compiling.breaks:
            text, stack = compiling.end_reason, compiling.end_stack
            return self.sites.add(text, stack, "split", code, call)
        seen = compiling.breaks[-1]
        effect: Effect = "rest_eager" if seen.cannot_resume else "split"
        return self.sites.add(seen.text, seen.stack, effect, code, call)

    def _limit_reached(self, compiling: Compiling) -> None:
        frame = self._frame(compiling.code)
        frame.state, frame.since = "limit", self.record.index
        reason = f"recompile limit reached: {first_reason(compiling.against)}"
        self.record.run(Run(frame, "fallback", None, reason, limit_reached=True))
        self._recompile(frame, None, tuple(compiling.against), None)
        for entry in compiling.entries:
            taps.watch_tries(entry.manager, lambda f_locals: self._tried(frame, f_locals))

    def _given_up(self, compiling: Compiling, end: MissEnd) -> None:
        skip = plain_skip(end.skip_reason)
        if skip.benign and not self._places.is_user(compiling.code.co_filename):
            return  # a library's own bookkeeping between graphs
        frame = self._frame(compiling.code)
        frame.since = self.record.index
        error = compiling.swallowed
        if error is not None:
            text = taps.break_text(error)
            stack = list(getattr(error, "real_stack", None) or [])
            site = self.sites.add(text, stack, "skip_frame", frame.code, self.record.index)
            reason = f"given up at line {site.where.line}: {site.text.kind}"
            reason += " inside a loop" if site.text.in_loop else ""
            skip = skip._replace(reason=reason, benign=False)
        frame.skip_reason, frame.benign = skip.reason, skip.benign
        frame.state = "skipped" if end.sticks else frame.state
        self.record.run(Run(frame, "skip", None, skip.reason, skip.benign))

    def _passed(self, frame: FrameState, entry: EntryState) -> None:
        self._thread().passed = True
        reason = None
        if frame.state == "limit":
            reason = "an old entry still matches, though the recompile limit was reached"
        self.record.run(Run(frame, "hit", entry.compile_id, reason))
        if entry.site:
            entry.site.cross(frame.code)

    def _tried(self, frame: FrameState, f_locals: dict[str, Any]) -> None:
        self._thread().tried = (frame, f_locals)

    def _settle(self, thread: _Thread) -> None:
        """A lookup that failed and that no miss followed: the frame ran eagerly in silence."""
        if thread.missed is None:
            return
        (caller,), tried = thread.missed, thread.tried
        thread.missed = thread.tried = None
        if tried is not None:
            frame, f_locals = tried
            entries = [e for e in taps.cache_entries(frame.code) if id(e.manager) in self._ours]
            against = self._against(frame, entries, f_locals, None)
            reason = f"recompile limit, reached at call {frame.since}: {first_reason(against)}"
            self.record.run(Run(frame, "fallback", None, reason))
            self._recompile(frame, None, against, None)
            return
        limited = [f for f in self._frames.values() if f.state == "limit"]
        called = [f for f in limited or self._frames.values() if caller in f.callers]
        likely = called or limited
        frame_or_none = likely[0] if len(likely) == 1 else None
        reason = "no entry matched and Dynamo may not add one here"
        self.record.run(Run(frame_or_none, "fallback", None, reason, attributed=False))


def _is_limit(error: BaseException | None, end: MissEnd) -> bool:
    if error is None:
        return False
    text = f"{type(error).__name__} {taps.break_text(error)}".lower().replace("_", " ")
    return end.run_only or "limit exceeded" in text or "limithit" in text


def first_reason(against: Any) -> str:
    """The nearest entry's first failing guard, in few words: `x.shape[0]: 4 → 5`."""
    if not against:
        return "no entry matched"
    nearest = against[0]
    if not nearest.failed:
        return nearest.torch_says or "no guard found that failed"
    guard = nearest.failed[0]
    more = len(nearest.failed) - 1
    tail = f" (and {more} more)" if more else ""
    return f"{guard.source}: {guard.expected} → {guard.actual}{tail}"
