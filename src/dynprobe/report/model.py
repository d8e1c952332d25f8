"""The report of one observation: facts, and what was made of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import SCHEMA_VERSION, Line, Model, Unknown
from .calls import Call
from .frames import Frame, GraphBreak
from .guards import GuardKind, Recompile
from .jax import Jax


class Target(Model):
    """What was called. `name` is how it is called in the report; `kind` what it is."""

    spec: str
    name: str
    kind: Literal["function", "method", "module", "callable", "compiled"]
    file: str | None
    line: int | None
    compile_options: dict[str, str] = Field(
        default_factory=dict
    )  # of a target that is already torch.compile'd


class Environment(Model):
    dynprobe: str
    python: str
    platform: str
    torch: str | None
    jax: str | None


class Settings(Model):
    """The settings the observation ran with, after defaults."""

    backend: str
    dynamic: Literal["auto", "true", "false"]
    fullgraph: bool
    grad: bool | None
    train: bool | None
    mark_dynamic: tuple[str, ...]
    recompile_limit: int | None  # the limit in force, torch's own default included
    timeout: float
    dtype: str
    device: str
    seed: int
    init: str
    repeat: int
    in_process: bool
    alone: bool = False
    eager: bool = False
    jax: bool = False


class Counters(Model):
    """Totals over all calls. See `Call` for the first four. `graph_break_count` counts distinct
    places; `recompiles`, `fallbacks` and `skips` count frames, call by call."""

    calls_captured: int = 0
    unique_graphs: int = 0
    graph_runs: int = 0
    ops_run: int = 0
    graph_break_count: int = 0
    recompiles: int = 0
    fallbacks: int = 0
    skips: int = 0


Severity = Literal["error", "warning", "note"]


class Finding(Model):
    """What a rule makes of a report. `advice` holds what a test of the rule has proven to mend
    it, one a line, or is empty where nothing is known to. `subjects` is what it is about in the
    user's words (`x.shape[0]`), `function` the frame, `break_index` the place; `calls` those it
    happened in. `url` is torch's page of the kind of break; of other findings it is the page of the
    rule, a path in dynprobe's repository (`docs/rules/ID.md`)."""

    rule: str
    severity: Severity
    message: str
    advice: str
    file: str | None = None
    line: int | None = None
    function: str | None = None
    subjects: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()
    break_index: int | None = None
    url: str | None = None


class Accepts(Model):
    """What the cache entries of a frame accept of one source, told before the next call: `text`
    in words ("any size ≥ 2; 0 and 1 recompile"). An entry accepts a call only if all its guards
    hold: this speaks of one source at a time. `values` and `ranges` (both ends inclusive; None:
    unbounded) are the union over `entries`; `any_value`: an entry does not guard it at all.
    `conditions` are what entries demand of it together with other sources."""

    function: str
    source: str
    kind: GuardKind
    text: str
    values: tuple[str, ...] = ()
    ranges: tuple[tuple[int | float | None, int | float | None], ...] = ()
    any_value: bool = False
    conditions: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    where: Line | None = None


class Verdict(Model):
    exit_code: int
    text: str


class End(Model):
    """How the observation ended. `complete` False: the report holds what was seen before."""

    complete: bool
    kind: Literal["done", "crashed", "timeout", "exited", "killed", "interrupted", "failed"]
    message: str = ""
    during_call: int | None = None


class Report(Model):
    """Everything one observation saw. `str` paths are as Python's code objects have them; `cwd`
    is the directory they are shown relative to."""

    schema_version: Literal[1] = SCHEMA_VERSION
    target: Target
    environment: Environment
    settings: Settings
    cwd: str
    counters: Counters
    calls: tuple[Call, ...]
    recompiles: tuple[Recompile, ...]
    graph_breaks: tuple[GraphBreak, ...]
    frames: tuple[Frame, ...]
    jax: Jax | None = None  # where JAX was observed
    unknown: tuple[Unknown, ...] = ()
    findings: tuple[Finding, ...] = ()
    accepts: tuple[Accepts, ...] = ()
    verdict: Verdict | None = None
    end: End
