"""Frames that Dynamo was asked to compile: captured, given up, or over the limit."""

from __future__ import annotations

from types import CodeType

from ...report import Effect, Entry, Guard, Outcome
from ..values.avals import type_name
from . import taps
from .against import first_reason
from .book import Book, EntryState, FrameState, Run
from .breaks import Site, Sites
from .failing import Known
from .guards import Stacks, guard_rows, stacks_of
from .holders import Kept, kept_holders
from .identities import names_of_identities
from .lookups import Lookups
from .places import frame_name, resumed_line
from .records import BreakSeen, Compiling, MissEnd
from .scope import Scope, cell_names
from .skips import given_up_at, is_noise, other_limit, plain_skip


class Misses:
    def __init__(self, book: Book, sites: Sites, lookups: Lookups) -> None:
        self._book = book
        self._sites = sites
        self._lookups = lookups

    def ends(self, compiling: Compiling, end: MissEnd) -> None:
        """Dynamo answered."""
        book = self._book
        if is_noise(end.skip_reason) and compiling.code is not book.subject.target:
            return
        if end.guarded is not None:
            self._captured(compiling, end)
        elif end.raised is not None:
            reason = f"{type(end.raised).__name__} while it was captured"
            book.record.run(Run(book.frame(compiling.code), "error", None, reason))
        elif _is_limit(compiling.swallowed, end):
            self._limit_reached(compiling)
        else:
            self._given_up(compiling, end)

    def _captured(self, compiling: Compiling, end: MissEnd) -> None:
        book = self._book
        frame = book.frame(compiling.code)
        frame.state, frame.since, frame.skip_reason = "compiled", None, None
        if compiling.caller is not None:
            frame.callers[id(compiling.caller)] = compiling.caller
        handle = taps.guarded_entry(end.guarded)
        book.made(handle.manager)
        site = self._site(compiling)
        stacks = stacks_of(compiling.guards, book.places)
        self._note_left_out(handle.manager, compiling)
        holders = self._holders(handle.manager, frame, compiling)
        identities = self._identities(handle.manager, compiling)
        known = Known(stacks, holders, identities, compiling.backend)
        entry = EntryState(handle.compile_id, known, site)
        frame.entries[handle.compile_id] = entry
        row = Entry(
            compile_id=handle.compile_id,
            call=book.record.index,
            guards=self._guard_rows(handle.manager, frame, stacks),
            graph=compiling.graph,
            dynamic_dims=compiling.dims,
            specialised=compiling.specialised,
            break_at=site.index if site else None,
        )
        book.new_entry(frame, row)
        taps.watch_entry(handle.manager, lambda: self._lookups.passed(frame, entry))
        self._made(frame, handle.compile_id, compiling)
        self._sites.captured(frame.code, handle.compile_id)
        if site:
            self._sites.split(site, handle.compile_id, self._goes_on(end))
            site.cross(frame.code)

    def _goes_on(self, end: MissEnd) -> list[CodeType]:
        try:
            return taps.resume_codes(end.guarded)
        except Exception as error:
            self._book.fault("reading what goes on after a break", error)
            return []

    def _note_left_out(self, manager: object, compiling: Compiling) -> None:
        scope = Scope(manager, compiling.f_locals)
        try:
            taps.note_left_out(
                manager, compiling.state, lambda source: type_name(scope.peek(source))
            )
        except Exception as error:
            self._book.fault("noting what the texts of guards leave out", error)

    def _holders(self, manager: object, frame: FrameState, compiling: Compiling) -> Kept:
        """Before the frame runs: what its values are read from is still as it was captured."""
        try:
            for source, name in cell_names(manager, compiling.f_locals).items():
                frame.words.name_cell(source, name)
            return kept_holders(manager, compiling.f_locals)
        except Exception as error:
            self._book.fault("remembering what guarded values are read from", error)
            return {}

    def _identities(self, manager: object, compiling: Compiling) -> dict[str, str]:
        try:
            return names_of_identities(manager, compiling.f_locals)
        except Exception as error:
            self._book.fault("naming what is guarded by identity", error)
            return {}

    def _guard_rows(self, manager: object, frame: FrameState, stacks: Stacks) -> tuple[Guard, ...]:
        try:
            return guard_rows(manager, frame.words, self._book.places, stacks)
        except Exception as error:
            # The entry is still known: its hits and misses are facts without its guards.
            self._book.fault("reading the guards of an entry", error)
            return ()

    def _made(self, frame: FrameState, compile_id: str, compiling: Compiling) -> None:
        """The run that made the entry: a recompile where entries were there that did not match."""
        outcome: Outcome = "recompile" if compiling.entries else "capture"
        line = resumed_line(frame.code)
        side = self._side(frame, line) if line else None
        reason = first_reason(compiling.against) if compiling.entries else side
        self._book.record.run(Run(frame, outcome, compile_id, reason))
        if compiling.entries:
            self._book.recompiled(frame, compiling.against, compile_id, compiling.dims)

    def _side(self, frame: FrameState, line: int) -> str:
        """Why a resume function is captured: it goes on after a break, maybe on the other side."""
        name = frame_name(frame.code)
        for other in self._book.frames.values():
            same = resumed_line(other.code) == line and frame_name(other.code) == name
            if same and other is not frame and other.code.co_filename == frame.code.co_filename:
                return f"the other side of the branch at line {line}"
        return f"goes on after the break at line {line}"

    def _site(self, compiling: Compiling) -> Site | None:
        """The place of the break that ended the captured graph, if one did."""
        if not compiling.ended_in_break:
            return None
        code, call = compiling.code, self._book.record.index
        if not compiling.breaks:
            seen = BreakSeen(compiling.end_reason, compiling.end_stack, cannot_resume=False)
            return self._sites.add(seen, "split", code, call)
        seen = compiling.breaks[-1]
        effect: Effect = "rest_eager" if seen.cannot_resume else "split"
        return self._sites.add(seen, effect, code, call)

    def _limit_reached(self, compiling: Compiling) -> None:
        book = self._book
        frame = book.frame(compiling.code)
        frame.state, frame.since = "limit", book.record.index
        text = taps.break_text(compiling.swallowed)
        frame.skip_reason = other_limit(text, taps.default_recompile_limit())
        reason = f"recompile limit reached: {first_reason(compiling.against)}"
        book.record.run(Run(frame, "fallback", None, reason, limit_reached=True))
        book.recompiled(frame, compiling.against)
        self._lookups.limit(frame, [entry.manager for entry in compiling.entries])

    def _given_up(self, compiling: Compiling, end: MissEnd) -> None:
        book = self._book
        skip = plain_skip(end.skip_reason)
        if skip.benign and not book.places.is_user(compiling.code.co_filename):
            return  # a library's own bookkeeping between graphs
        frame = book.frame(compiling.code)
        broke = None if skip.benign else _what_broke(compiling)
        if broke is not None:
            site = self._sites.add(broke, "skip_frame", frame.code, book.record.index)
            skip = skip._replace(reason=_given_up_at(site))
        frame.skip_reason, frame.benign = skip.reason, skip.benign
        if end.sticks:
            frame.state, frame.since = "skipped", book.record.index
        book.record.run(Run(frame, "skip", None, skip.reason, skip.benign))


def _given_up_at(site: Site) -> str:
    return given_up_at(site.near or site.where, site.text.kind, site.inside)


def _what_broke(compiling: Compiling) -> BreakSeen | None:
    """What ended the attempt to compile a frame: the exception that was swallowed, else (before
    torch 2.10, which ends some attempts without one) the last break it met."""
    error, last = compiling.swallowed, compiling.breaks[-1] if compiling.breaks else None
    if error is None:
        return last
    text, stack = taps.break_text(error), list(getattr(error, "real_stack", None) or [])
    inside = last.inside if last else taps.kept_from_resuming(error)
    return BreakSeen(text, stack, cannot_resume=True, inside=inside)


def _is_limit(error: BaseException | None, end: MissEnd) -> bool:
    if error is None:
        return False
    text = f"{type(error).__name__} {taps.break_text(error)}".lower().replace("_", " ")
    return end.run_only or "limit exceeded" in text or "limithit" in text
