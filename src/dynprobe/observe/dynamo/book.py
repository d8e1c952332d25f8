"""What is known of frames and of the call under way, while a session runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Literal, NamedTuple

from ...report import Against, Entry, Frame, FrameRun, Outcome, Recompile, Unknown
from ...report.leading import distance
from ...report.patch import NewEntry
from .against import against_entry, against_state
from .breaks import Site
from .failing import Known
from .places import Places, frame_name, make_line, resumed_line
from .records import EntryHandle
from .taps import cache_entries, is_invalidated
from .words import Words

_UNREAD = "which guards failed could not be read"


@dataclass(frozen=True)
class Subject:
    """What is observed. `target` is the code object of the user's innermost function, `wrappers`
    it and those of the decorators around it, `positional` the names of its parameters. `name` is
    what the target is called, `called` the object itself."""

    name: str
    called: object
    target: CodeType | None
    wrappers: Mapping[int, CodeType]
    positional: tuple[str, ...]
    places: Places


@dataclass(eq=False)
class EntryState:
    """A cache entry made during the session."""

    compile_id: str
    known: Known
    site: Site | None


@dataclass(eq=False)
class FrameState:
    """A code object that Dynamo met. `state` as in `report.Frame`; `since` is the call that
    skipped it or reached its limit. `shown` is the code object it is called after: `code`, or for
    a decorator's wrapper of the target, the target's. `name` is set where the target has no code
    object of its own (it is written in C)."""

    key: int
    code: CodeType
    shown: CodeType
    words: Words
    name: str | None = None
    state: Literal["compiled", "limit", "skipped"] = "compiled"
    since: int | None = None
    skip_reason: str | None = None
    benign: bool = False
    entries: dict[str, EntryState] = field(default_factory=dict)
    callers: dict[int, CodeType] = field(default_factory=dict)
    _told: tuple[object, ...] | None = None

    def place(self) -> tuple[str, str, int]:
        """Its name, file and line: of a resume function, the line it goes on at."""
        code = self.shown
        return (
            self.name or frame_name(code),
            code.co_filename,
            resumed_line(code) or code.co_firstlineno,
        )

    def known(self, compile_id: str) -> Known:
        """What is known of an entry's capture; nothing of one from before the session."""
        entry = self.entries.get(compile_id)
        return entry.known if entry else Known()

    def is_news(self) -> bool:
        """Whether its row is not as it was when this was asked last."""
        before, self._told = self._told, (self.state, self.since, self.skip_reason, self.benign)
        return before != self._told

    def row(self) -> Frame:
        resumed = resumed_line(self.shown)
        name, file, line = self.place()
        return Frame(
            key=self.key,
            function=name,
            file=file,
            line=line,
            is_resume=resumed is not None,
            resumes_at=make_line(file, resumed, name) if resumed else None,
            state=self.state,
            since=None if self.state == "compiled" else self.since,
            skip_reason=self.skip_reason,
            benign=self.benign,
        )


def _was(entry: EntryHandle, made: Mapping[str, EntryState]) -> bool:
    """An entry that torch gave up has another manager than the one it was made with."""
    return is_invalidated(entry.manager) and entry.compile_id in made


class Run(NamedTuple):
    """One evaluation of a frame, or several alike."""

    frame: FrameState | None
    outcome: Outcome
    compile_id: str | None
    reason: str | None
    benign: bool = False
    limit_reached: bool = False
    attributed: bool = True

    def row(self, times: int) -> FrameRun:
        name, file, line = self.frame.place() if self.frame else ("(a frame not told)", "", 0)
        return FrameRun(
            function=name,
            file=file,
            line=line,
            compile_id=self.compile_id,
            outcome=self.outcome,
            reason=self.reason,
            times=times,
            is_resume=self.frame is not None and resumed_line(self.frame.code) is not None,
            benign=self.benign,
            limit_reached=self.limit_reached,
            attributed=self.attributed,
        )


@dataclass(eq=False)
class CallRecord:
    """What the taps told during one call."""

    index: int
    runs: Counter[Run] = field(default_factory=Counter)
    entries: list[NewEntry] = field(default_factory=list)
    recompiles: list[Recompile] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    ops_captured: int = 0
    graphs_compiled: int = 0
    graph_runs: int = 0
    ops_run: int = 0

    def run(self, run: Run) -> None:
        self.runs[run] += 1

    def has_run_of(self, frame: FrameState) -> bool:
        return any(run.frame is frame for run in self.runs)

    def run_rows(self) -> tuple[FrameRun, ...]:
        return tuple(run.row(times) for run, times in self.runs.items())

    def frame_rows(self) -> tuple[Frame, ...]:
        """The frames that ran and are not as they were last told, in the order in which the
        session met them."""
        frames = {run.frame.key: run.frame for run in self.runs if run.frame is not None}
        return tuple(frames[key].row() for key in sorted(frames) if frames[key].is_news())


class Book:
    """Every frame met so far, and the record of the call under way.

    Code objects are told apart by `id`, and kept, so that no id is used again: Dynamo keeps its
    entries by identity, equal code objects are not the same frame, and those that Dynamo makes
    cannot be hashed where a constant of theirs cannot.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.places = subject.places
        self.record = CallRecord(-1)
        self.frames: dict[int, FrameState] = {}
        self._ours: set[int] = set()

    def frame(self, code: CodeType) -> FrameState:
        """The frame of a code object, new where it was not met before."""
        frame = self.of(code)
        if frame is None:
            subject = self.subject
            wraps = id(code) in subject.wrappers
            shown = subject.target if wraps and subject.target else code
            words = Words(code, subject.positional if wraps else ())
            frame = FrameState(len(self.frames), code, shown, words)
            self.frames[id(code)] = frame
        return frame

    def of(self, code: CodeType | None) -> FrameState | None:
        """The frame of a code object that was met before."""
        return self.frames.get(id(code))

    def inlined(self, code: CodeType) -> None:
        """torch's own wrapper, by which it calls a target it cannot compile as it is (a module of
        torch, a callable object, a partial): its frame is called after the target."""
        subject = self.subject
        if self.of(code) is None:
            names = tuple(n for n in subject.positional if n != "self")
            words = Words(code, names, subject.name)
            name = None if subject.target else subject.name
            shown = subject.target or code
            frame = FrameState(len(self.frames), code, shown, words, name)
            self.frames[id(code)] = frame

    def new_entry(self, frame: FrameState, entry: Entry) -> None:
        self.record.entries.append(NewEntry(frame_key=frame.key, entry=entry))

    def made(self, manager: object) -> None:
        """Notes that the entry with this guard manager was made during the session."""
        self._ours.add(id(manager))

    def fault(self, where: str, error: Exception) -> None:
        """Something of ours failed: what it would have told is unknown, the target goes on."""
        said = f"{where} failed: {type(error).__name__}: {error}"
        self.record.unknown.append(Unknown(what=f"part of call {self.record.index}", reason=said))

    def own(self, code: CodeType, entries: Sequence[EntryHandle]) -> list[EntryHandle]:
        """Those of a code object's `entries` that were made during the session."""
        frame = self.of(code)
        made = frame.entries if frame else {}
        return [e for e in entries if id(e.manager) in self._ours or _was(e, made)]

    def own_entries(self, code: CodeType) -> list[EntryHandle]:
        return self.own(code, cache_entries(code))

    def against(
        self, frame: FrameState, entries: list[EntryHandle], f_locals: dict[str, Any], backend: Any
    ) -> tuple[Against, ...]:
        """Why none of `entries` matched, the nearest first: the one in which the fewest things
        differ."""
        rows = []
        for entry in entries:
            known = frame.known(entry.compile_id)
            try:
                row = against_entry(entry, f_locals, backend, frame.words, self.places, known)
            except Exception as error:
                self.fault(f"comparing with {entry.compile_id}", error)
                row = Against(compile_id=entry.compile_id, torch_says="", failed=(), note=_UNREAD)
            rows.append(row)
        return tuple(sorted(rows, key=lambda row: distance(row.failed) or 99))

    def against_state(self, frame: FrameState) -> tuple[Against, ...]:
        """The entries of a frame that the process's state alone keeps from matching."""
        rows = []
        for entry in self.own_entries(frame.code):
            known = frame.known(entry.compile_id)
            row = against_state(entry, frame.words, self.places, known)
            rows.extend([row] if row else [])
        return tuple(rows)

    def recompiled(
        self,
        frame: FrameState,
        against: tuple[Against, ...],
        compile_id: str | None = None,
        dims: Sequence[Any] = (),
    ) -> None:
        """Notes a recompile; without a `compile_id`, one that the limit forbade."""
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
