"""What earlier calls cost later ones, from each call made alone (`Call.alone`). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynprobe.report import Call, Frame, FrameRun, Report

from .words import count, in_words

_IN_GRAPHS = ("hit", "capture", "recompile")


@dataclass(frozen=True)
class Loss:
    """Calls that ran operations eagerly which run in graphs alone, for the same `frames` (none:
    no frame tells why). `lost` operations in all, of `alone` that run in graphs alone."""

    frames: tuple[Frame, ...]
    calls: tuple[int, ...]
    lost: int
    alone: int

    @property
    def by(self) -> tuple[int, ...]:
        """The earlier calls that did it."""
        return tuple(sorted({call for frame in self.frames for call in culprits(frame)}))


def losses(report: Report) -> tuple[Loss, ...]:
    """In the order in which they were first met."""
    found: dict[tuple[int, ...], list[Call]] = {}
    for call in report.calls:
        if call.alone is not None and call.alone.lost and not call.error:
            keys = tuple(frame.key for frame in _frames(report, call))
            found.setdefault(keys, []).append(call)
    return tuple(_loss(report, keys, calls) for keys, calls in found.items())


def _loss(report: Report, keys: tuple[int, ...], calls: list[Call]) -> Loss:
    alone = [call.alone for call in calls if call.alone is not None]
    return Loss(
        frames=tuple(frame for frame in report.frames if frame.key in keys),
        calls=tuple(call.index for call in calls),
        lost=sum(fact.lost for fact in alone),
        alone=sum(fact.ops_run for fact in alone),
    )


def _frames(report: Report, call: Call) -> Iterator[Frame]:
    """Those that an earlier call left uncompiled, and that run in graphs alone."""
    assert call.alone is not None
    ran = {_place(run) for run in call.frames if run.outcome in _IN_GRAPHS}
    alone = {_place(run) for run in call.alone.frames if run.outcome in _IN_GRAPHS}
    for frame in report.frames:
        if _was_off(frame, call) and _place(frame) in alone - ran:
            yield frame


def _place(of: Frame | FrameRun) -> tuple[str, str, int]:
    return of.function, of.file, of.line


def _was_off(frame: Frame, call: Call) -> bool:
    """A call that meets the limit is itself one that earlier calls left no room for."""
    if frame.state == "compiled" or frame.since is None:
        return False
    return frame.since < call.index or (frame.state == "limit" and frame.since == call.index)


def culprits(frame: Frame) -> tuple[int, ...]:
    """The calls that left a frame as it is: the one that switched it off, or those whose cache
    entries fill its limit."""
    if frame.state == "limit":
        return tuple(dict.fromkeys(entry.call for entry in frame.entries))
    return () if frame.since is None else (frame.since,)


def how(frame: Frame, limit: int | None, called: str | None = None) -> str:
    """`call 0 switched f off for good (given up at line 9: …)`; the frame is `called` so."""
    calls, name = in_words(culprits(frame), "call"), called or frame.function
    if frame.state == "limit":
        return f"the entries of {calls} are all that {name} may have (limit {limit})"
    return f"{calls} switched {name} off for good ({frame.skip_reason})"


def in_a_sentence(loss: Loss) -> str:
    """`calls 1, 2 ran 4 operations eagerly that run in graphs when each is made alone`."""
    one = len(loss.calls) == 1
    ran = f"{in_words(loss.calls, 'call')} ran {count(loss.lost, 'operation')} eagerly"
    run = "runs" if loss.lost == 1 else "run"
    return f"{ran} that {run} in graphs when {'it' if one else 'each'} is made alone"
