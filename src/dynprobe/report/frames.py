"""Frames, their cache entries, the graphs they run, and where graphs break."""

from __future__ import annotations

from typing import Literal

from .base import Line, Model
from .guards import Guard

Effect = Literal["split", "rest_eager", "skip_frame"]
"""`split`: captured up to here, resumed after; `rest_eager`: captured up to here, the rest of the
frame runs eagerly; `skip_frame`: nothing of the frame is captured."""


class Op(Model):
    """A call node of an FX graph: an operation. `aval` is its result's type where it is one
    tensor (`f32[4, s0]`)."""

    name: str
    aval: str | None = None
    where: Line | None = None


class Graph(Model):
    """A graph as handed to the backend. `code` only where it was asked for."""

    ops: tuple[Op, ...]
    inputs: tuple[str, ...]  # "L['x'] f32[4]" said as "x: f32[4]"
    code: str | None = None


class DynamicDim(Model):
    """A size or number that is a symbol in this entry. `dim` is None for a Python number. The
    range is what the entry accepts, both ends inclusive; `high` None means unbounded."""

    source: str
    dim: int | None
    symbol: str
    low: int | float | None
    high: int | float | None
    reason: str | None = None  # "automatic: 4, then 5", "marked", "dynamic=True"


class Entry(Model):
    """A cache entry: compiled in call `call` under `compile_id`. `graph` is None where it
    captured no operation; `break_at` is the index into the report's `graph_breaks` of the break
    that ends it, if one does."""

    compile_id: str
    call: int
    guards: tuple[Guard, ...]
    graph: Graph | None
    dynamic_dims: tuple[DynamicDim, ...] = ()
    break_at: int | None = None


class Frame(Model):
    """A code object that Dynamo met. `state` is what it is after the last call: `compiled`,
    `limit` (its entries still run, no further one is made) or `skipped` (runs eagerly for good).
    """

    key: int  # order in which frames were met
    function: str
    file: str
    line: int
    is_resume: bool = False
    resumes_at: Line | None = None
    state: Literal["compiled", "limit", "skipped"]
    skip_reason: str | None = None
    benign: bool = False
    entries: tuple[Entry, ...] = ()


class GraphBreak(Model):
    """A distinct place in the user's source where a graph broke or a frame was given up.

    `file`, `line`, `function` are the innermost line of the break; `near` is the nearest line of
    the user's own code where that lies in a library. `at_capture` counts the frames captured (or
    given up) that broke here; `crossed` how often calls ran over it afterwards or then, or None
    where it cannot be counted (a frame that runs eagerly emits nothing)."""

    index: int
    file: str
    line: int
    function: str | None
    code: str | None
    kind: str
    gb_id: str | None
    effect: Effect
    at_capture: int
    crossed: int | None
    explanation: str
    hints: tuple[str, ...]
    url: str | None = None
    stack: tuple[Line, ...] = ()  # outermost first, the target's frame down to the break
    near: Line | None = None
    calls: tuple[int, ...] = ()  # the calls that captured it
    frames: tuple[str, ...] = ()  # the frames it split or ended
