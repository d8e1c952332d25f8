"""What a row of a call is made of."""

from __future__ import annotations

from typing import Literal

from .base import Line, Model

Outcome = Literal["hit", "capture", "recompile", "fallback", "skip", "error"]
"""Worst first: error, fallback, skip, recompile, capture, hit. A call's outcome is its worst
frame's, but for frames that had nothing to compile (`benign`)."""


class FrameRun(Model):
    """One frame (code object) in one call. `times` is how often it was evaluated with this
    outcome and entry during the call."""

    function: str
    file: str
    line: int
    compile_id: str | None
    outcome: Outcome
    reason: str | None = None
    times: int = 1
    is_resume: bool = False
    benign: bool = False  # a skip that loses nothing: no tensor operation in the frame
    limit_reached: bool = False  # a fallback in which the recompile limit was reached just now
    attributed: bool = True  # False: which frame it was is inferred from its caller


class CallError(Model):
    """The exception a call raised. `eager_raises` is what a plain call with the same values did
    in the same process afterwards: True, False, or None where that was not tried."""

    type: str
    message: str
    where: Line | None = None  # the innermost line of the user's own code
    traceback: str | None = None  # without dynprobe's and torch's own frames
    eager_raises: bool | None = None
    eager_error: str | None = None
    kind: Literal["raised", "exited", "crashed", "timeout", "killed"] = "raised"


class Alone(Model):
    """The same call made in a fresh Dynamo state, after the same earlier calls, in a process of
    its own. `lost` is how many operations it then ran in graphs that the call itself ran
    eagerly."""

    outcome: Outcome
    ops_run: int
    graph_runs: int
    lost: int = 0
    error: str | None = None
    frames: tuple[FrameRun, ...] = ()


class Difference(Model):
    """Where a compiled and an eager result part first. `path` from the result (`[0].loss`);
    `eager` and `compiled` as short as a person would say them. For numbers: the largest absolute
    and relative difference, and how many of `of` elements differ beyond tolerance."""

    path: str
    eager: str
    compiled: str
    largest: float | None = None
    relative: float | None = None
    differ: int | None = None
    of: int | None = None


class Change(Model):
    """Something a call changed besides its result, and that the compiled run left otherwise than
    the eager one. `what` in the user's words: `x`, `self.calls`, `global STEP`, `closure seen`,
    of the environment `HOME`, of standard output `printed`. `before` is its value before the call,
    None for what is printed."""

    kind: Literal["argument", "global", "attribute", "closure", "printed", "environment"]
    what: str
    before: str | None
    eager: str | None
    compiled: str | None


class Unguarded(Model):
    """What the eager run read and no guard of the entry holds, and that is not as it was when the
    entry was captured: the likely reason why the compiled result is stale."""

    kind: Literal["environment", "hook", "lru_cache", "global", "attribute", "closure", "clock"]
    what: str
    captured: str | None  # its value in the call that captured the entry
    now: str | None
    captured_in: int | None = None  # that call
    where: Line | None = None


class EagerRun(Model):
    """The same call in a plain run without Dynamo, in a process of its own: same values, same
    seed. `same` is None where the two cannot be compared, with the reason in `note`. `random`:
    the eager call drew random numbers (its generators' states moved)."""

    same: bool | None
    difference: Difference | None = None
    changes: tuple[Change, ...] = ()
    unguarded: tuple[Unguarded, ...] = ()
    random: bool = False
    note: str | None = None
