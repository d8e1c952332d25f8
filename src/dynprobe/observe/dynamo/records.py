"""What the taps tell, as plain records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Inside = Literal["loop", "with", "try", "generator"]
"""What keeps Dynamo from going on after a break."""


class Unavailable(NamedTuple):
    what: str
    reason: str


class EntryHandle(NamedTuple):
    """A cache entry of Dynamo's, alive for as long as Dynamo keeps it."""

    compile_id: str
    manager: Any
    backend: Any
    raw: Any


class LeafGuard(NamedTuple):
    """`source` is an expression over L and G; `kind` the class of the leaf; `parts` its texts;
    `leaf` can be called on the source's value where it is callable. `left_out` is what an older
    torch leaves out of the text: the class of what was there, the state of the process as JSON."""

    source: str
    kind: str
    parts: tuple[str, ...]
    leaf: Any
    left_out: str = ""


class BreakSeen(NamedTuple):
    """`text` is torch's message, `stack` the frame summaries from the captured frame down;
    `inside` is what keeps Dynamo from going on in the captured frame, if it cannot."""

    text: str
    stack: list[Any]
    cannot_resume: bool
    inside: Inside | None = None


class Registered(NamedTuple):
    """What the registry that ships with torch says of a kind of break: for all cases of it, with
    `{names}` where a case has its own words."""

    gb_id: str
    explanation: str
    hints: tuple[str, ...]


class GraphSeen(NamedTuple):
    module: Any
    shape_env: Any


class SizeSeen(NamedTuple):
    """What Dynamo compares with earlier calls: a tensor's `sizes` (None: already a symbol), or a
    number."""

    source: str
    sizes: tuple[int | None, ...] | None
    scalar: int | float | None


class SymbolSeen(NamedTuple):
    """A symbol of `ShapeEnv`: the `sources` that share it from the start, what it is `now` (itself,
    another expression, a number); if replaced, the user's `stack` and torch's text of the line."""

    name: str
    sources: tuple[str, ...]
    now: Any
    stack: tuple[Any, ...]
    said: str


@dataclass(frozen=True)
class MissEnd:
    """How Dynamo answered for a frame it was asked to compile. `sticks`: the answer holds for
    every later evaluation of the code object."""

    guarded: Any = None
    skip_reason: str | None = None
    run_only: bool = False
    sticks: bool = False
    raised: BaseException | None = None


@dataclass
class Compiling:
    """A frame that Dynamo is compiling now: filled by the taps, read when it is done."""

    code: Any
    f_locals: dict[str, Any]
    entries: list[EntryHandle]
    against: tuple[Any, ...] = ()
    breaks: list[BreakSeen] = field(default_factory=list)
    swallowed: BaseException | None = None
    ended_in_break: bool = False
    end_reason: str = ""
    end_stack: list[Any] = field(default_factory=list)
    guards: list[Any] = field(default_factory=list)
    graph: Any = None
    shape_env: Any = None
    sizes: list[Any] = field(default_factory=list)
    dims: tuple[Any, ...] = ()
    specialised: tuple[Any, ...] = ()
    caller: Any = None
    state: str = ""  # of the process when it began
    backend: Any = None
