"""What happened on each call."""

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


class Call(Model):
    """`calls_captured` and `unique_graphs` are running totals, as torch's own counters of these
    names: operations captured into graphs, graphs compiled. `ops_captured`, `graphs_compiled`,
    `graph_runs` (executions of compiled graphs) and `ops_run` (captured operations executed
    inside those) are of this call alone. `breaks_crossed` counts how often this call ran from
    one graph to the next over a known break."""

    index: int
    label: str | None
    inputs: tuple[str, ...]  # avals: "f32[4]", "mask=b8[3,3]", "mode='sin'"
    outcome: Outcome
    ops_captured: int
    calls_captured: int
    graphs_compiled: int
    unique_graphs: int
    graph_runs: int
    ops_run: int
    breaks_crossed: int
    reason: str | None = None
    error: CallError | None = None
    frames: tuple[FrameRun, ...] = ()
    jax: None = None  # filled where JAX was observed
