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
    range is what the entry accepts, both ends inclusive; `high` None means unbounded. `tied` are
    the other sizes that share the symbol (`y.shape[0]`), so must equal it; `tied_by` says why: a
    line of the user's, or duck sizing (they happened to be equal when it was captured)."""

    source: str
    dim: int | None
    symbol: str
    low: int | float | None
    high: int | float | None
    reason: str | None = None  # "automatic: 4, then 5", "marked", "unbacked", "dynamic=True"
    tied: tuple[str, ...] = ()
    tied_by: str | None = None
    tied_at: Line | None = None


class Specialised(Model):
    """A size or number that was a symbol until code asked for its value: it is a constant in this
    entry. `where` is the user's line that asked, `stack` the user's stack down to it."""

    source: str
    dim: int | None
    symbol: str
    value: int | float
    where: Line | None = None
    stack: tuple[Line, ...] = ()


class Entry(Model):
    """A cache entry: compiled in call `call` under `compile_id`. `graph` is None where it
    captured no operation; `break_at` is the index into the report's `graph_breaks` of the break
    that ends it, if one does."""

    compile_id: str
    call: int
    guards: tuple[Guard, ...]
    graph: Graph | None
    dynamic_dims: tuple[DynamicDim, ...] = ()
    specialised: tuple[Specialised, ...] = ()
    break_at: int | None = None


class Frame(Model):
    """A code object that Dynamo met. `state` is what it is after the last call: `compiled`,
    `limit` (its entries still run, no further one is made) or `skipped` (runs eagerly for good);
    `since` the call in which it became that, where it is not `compiled`. `skip_reason` says why it
    is skipped, and of a limit which one it is, where that is not the one in `settings`."""

    key: int  # order in which frames were met
    function: str
    file: str
    line: int
    is_resume: bool = False
    resumes_at: Line | None = None
    state: Literal["compiled", "limit", "skipped"]
    since: int | None = None
    skip_reason: str | None = None
    benign: bool = False
    entries: tuple[Entry, ...] = ()


class Crossing(Model):
    """How often call `call` broke a graph here while it captured, and how often it ran over the
    place (0 where that cannot be counted)."""

    call: int
    at_capture: int
    crossed: int


class GraphBreak(Model):
    """A distinct place in the user's source where a graph broke or a frame was given up.

    `file`, `line`, `function` are the innermost line of the break; `near` is the nearest line of
    the user's own code where that lies in a library. `at_capture` counts the frames captured (or
    given up) that broke here; `crossed` how often calls ran over it afterwards or then, or None
    where it cannot be counted (a frame that runs eagerly emits nothing); `per_call` has both call
    by call. `before` and `after` are compile ids: the graphs that end here, and those of the
    resume functions that go on from here, the first captured first. `context` are the lines
    around it, its own among them. `inside` is what keeps Dynamo from resuming after it."""

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
    context: tuple[Line, ...] = ()
    near: Line | None = None
    calls: tuple[int, ...] = ()  # the calls that captured it
    frames: tuple[str, ...] = ()  # the frames it split or ended
    inside: Literal["loop", "with", "try", "generator"] | None = None
    per_call: tuple[Crossing, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
