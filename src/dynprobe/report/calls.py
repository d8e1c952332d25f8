"""What happened on each call."""

from __future__ import annotations

from .base import Model
from .jax import JaxCall, SideEffect
from .parts import Alone, CallError, EagerRun, FrameRun, Outcome


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
    alone: Alone | None = None  # where --alone asked for it
    eager: EagerRun | None = None  # where --eager asked for it
    jax: JaxCall | None = None  # where JAX was observed
    effects: tuple[SideEffect, ...] = ()  # where JAX was observed, or --eager asked for it
