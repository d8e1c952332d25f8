"""What is known of frames and of the call under way, while a session runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from types import CodeType
from typing import Literal, NamedTuple

from ...report import Entry, Frame, FrameRun, Outcome, Recompile, Unknown
from ...report.patch import NewEntry
from .breaks import Site
from .guards import Stacks
from .places import frame_name, make_line, resumed_line
from .words import Words


@dataclass(eq=False)
class EntryState:
    """A cache entry made during the session."""

    compile_id: str
    stacks: Stacks
    site: Site | None


@dataclass(eq=False)
class FrameState:
    """A code object that Dynamo met. `state` as in `report.Frame`; `since` is the call that
    skipped it or reached its limit. `shown` is the code object it is called after: `code`, or for a
    decorator's wrapper of the target, the target's."""

    key: int
    code: CodeType
    shown: CodeType
    words: Words
    state: Literal["compiled", "limit", "skipped"] = "compiled"
    since: int | None = None
    skip_reason: str | None = None
    benign: bool = False
    entries: dict[str, EntryState] = field(default_factory=dict)
    callers: set[CodeType] = field(default_factory=set)

    def place(self) -> tuple[str, str, int]:
        """Its name, file and line: of a resume function, the line it goes on at."""
        code = self.shown
        return frame_name(code), code.co_filename, resumed_line(code) or code.co_firstlineno

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
            skip_reason=self.skip_reason,
            benign=self.benign,
        )


class Run(NamedTuple):
    """One evaluation of a frame, or several alike."""

    frame: FrameState | None
    outcome: Outcome
    compile_id: str | None
    reason: str | None
    benign: bool = False
    limit_reached: bool = False
    attributed: bool = True


@dataclass(eq=False)
class CallRecord:
    """What the taps told during one call."""

    index: int
    runs: Counter[Run] = field(default_factory=Counter)
    touched: dict[int, FrameState] = field(default_factory=dict)
    entries: list[NewEntry] = field(default_factory=list)
    recompiles: list[Recompile] = field(default_factory=list)
    ops_captured: int = 0
    graphs_compiled: int = 0
    graph_runs: int = 0
    ops_run: int = 0
    unknown: list[Unknown] = field(default_factory=list)

    def run(self, run: Run) -> None:
        self.runs[run] += 1

    def has_run_of(self, frame: FrameState) -> bool:
        return any(run.frame is frame for run in self.runs)

    def new_entry(self, frame: FrameState, entry: Entry) -> None:
        self.entries.append(NewEntry(frame_key=frame.key, entry=entry))

    def frame_rows(self) -> tuple[FrameRun, ...]:
        return tuple(_row(run, times) for run, times in self.runs.items())


def _row(run: Run, times: int) -> FrameRun:
    name, file, line = run.frame.place() if run.frame else ("(a frame not told)", "", 0)
    return FrameRun(
        function=name,
        file=file,
        line=line,
        compile_id=run.compile_id,
        outcome=run.outcome,
        reason=run.reason,
        times=times,
        is_resume=run.frame is not None and resumed_line(run.frame.code) is not None,
        benign=run.benign,
        limit_reached=run.limit_reached,
        attributed=run.attributed,
    )
