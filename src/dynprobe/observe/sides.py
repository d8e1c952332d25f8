"""Several observations of one order side by side, each in a worker of its own.

The main one makes the report. The others add facts to it; whatever becomes of them costs these
facts alone. Imports little, as `process.start`: the workers are on their way before anything else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .process.start import ENTRY, Worker, start_worker

if TYPE_CHECKING:
    from ..report import Report
    from ..report.patch import Event
    from ..spec.model import Probe
    from .process.follow import Followed

_LAST_WORDS = 5.0
"""Seconds that a side has to be read to its end once its worker is killed."""

INTERRUPTED = "it was interrupted"


@dataclass(frozen=True)
class Seen:
    """What became of a side. `followed` is what it told, if it could be started; `unknown` why it
    told no more than that (None: it came to its end)."""

    followed: Followed | None
    unknown: str | None

    @property
    def printed(self) -> Mapping[int, str]:
        """What its target printed, call by call, where it is kept."""
        return self.followed.printed if self.followed else {}


Merge = Callable[["Report", "Seen", "Seen"], "Report"]
"""The report with what a side told: the report so far, the main side, the side."""


@dataclass(frozen=True)
class Side:
    """An observation beside the main one. `facts` says in words what it is asked for, `entry` is
    as in `start_worker`. What its target prints is never shown; it is `kept` for `merge`, or not.
    """

    facts: str
    entry: str
    probe: Probe
    merge: Merge
    kept: bool = False


@dataclass
class _Running:
    side: Side
    worker: Worker | None = None
    # Set while nobody follows. Not Thread.join: on Python 3.11 an interrupt of it marks a thread
    # that runs on as ended.
    idle: threading.Event = field(default_factory=threading.Event)
    followed: Followed | None = None
    unknown: str | None = None

    def start(self) -> None:
        self.idle.set()
        side = self.side
        try:
            self.worker = start_worker(side.probe, entry=side.entry, shown=False, kept=side.kept)
        except OSError as error:
            self.unknown = f"its process could not be started: {error.strerror}"

    def follow(self) -> None:
        """From a thread of its own, to its end."""
        if self.worker is not None:
            self.idle.clear()
            threading.Thread(target=self._follow, args=(self.worker,), daemon=True).start()

    def _follow(self, worker: Worker) -> None:
        from .process.follow import follow

        try:
            self.followed = follow(worker)
            self.unknown = self.unknown or self.followed.why_cut_short
        except Exception as error:
            self.unknown = f"it could not be followed: {type(error).__name__}: {error}"
        finally:
            worker.kill()
            self.idle.set()

    def is_going_on(self) -> bool:
        return not self.idle.is_set()

    def end(self) -> None:
        """Now, whatever it was doing."""
        if self.worker is None:
            return
        if self.is_going_on():
            self.unknown = INTERRUPTED
        self.worker.kill()
        if self.idle.wait(_LAST_WORDS):  # else a thread still reads from what would be closed
            self.worker.close()

    def seen(self) -> Seen:
        return Seen(self.followed, self.unknown)


@dataclass
class Sides:
    """The main observation and those beside it, from `with` on. All are started at once, from the
    thread that enters: a worker dies with the thread that started it."""

    probe: Probe
    beside: Sequence[Side] = ()
    kept: bool = False  # what the main side's target prints is told call by call too
    entry: str = ENTRY
    last: Callable[[Report], Report] | None = None  # what is known without a side
    _others: list[_Running] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._main = start_worker(self.probe, entry=self.entry, kept=self.kept)
        self._others = [_Running(side) for side in self.beside]
        for other in self._others:
            other.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        for worker in (other.worker for other in self._others):
            if worker is not None:
                worker.kill()
        self._main.close()
        for other in self._others:
            other.end()

    def follow(self, on_event: Callable[[Event], None] | None = None) -> None:
        """Follows all, up to the end of the main one.

        Raises as `Worker.finish`.
        """
        from .process.follow import follow

        for other in self._others:
            other.follow()
        try:
            self._followed = follow(self._main, on_event)
        finally:
            self._main.kill()
        self._report = self._followed.report()

    @property
    def going_on(self) -> tuple[str, ...]:
        """The facts that are still waited for."""
        return tuple(other.side.facts for other in self._others if other.is_going_on())

    def report(self) -> Report:
        """Waits for the sides that go on, each within its own time limits, and gives the report
        with what they told. An interrupt ends them: the report is then one that was interrupted.
        """
        report = self._report
        try:
            if report.end.kind != "interrupted":
                self._wait()
        except KeyboardInterrupt:
            report = _interrupted(report, self.going_on)
        for other in self._others:
            other.end()
        main = Seen(self._followed, self._followed.why_cut_short)
        for other in self._others:
            report = _merged(report, main, other)
        return report if self.last is None else self.last(report)

    def _wait(self) -> None:
        for other in self._others:
            other.idle.wait()


def _interrupted(report: Report, facts: tuple[str, ...]) -> Report:
    from ..report import End

    if not report.end.complete:  # it has an end that says more
        return report
    said = f"interrupted while waiting for {' and '.join(facts) or 'the last facts'}"
    end = End(complete=False, kind="interrupted", message=said)
    return report.model_copy(update={"end": end})


def _merged(report: Report, main: Seen, other: _Running) -> Report:
    try:
        return other.side.merge(report, main, other.seen())
    except Exception as error:
        return without(report, other.side.facts, error)


def without(report: Report, facts: str, error: Exception) -> Report:
    """The report where putting a side's facts into it failed: it says so, and has all others."""
    from ..report import Unknown

    said = f"a fault of dynprobe itself: {type(error).__name__}: {error}"
    fact = Unknown(what=facts, reason=said)
    return report.model_copy(update={"unknown": (*report.unknown, fact)})
