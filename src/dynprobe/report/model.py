"""The report of one observation: facts, and what was made of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import SCHEMA_VERSION, Model, Unknown
from .calls import Call
from .frames import Frame, GraphBreak
from .guards import Recompile


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


class Finding(Model):
    rule: str
    severity: Literal["error", "warning", "note"]
    message: str
    advice: str
    file: str | None = None
    line: int | None = None


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
    jax: None = None  # filled where JAX was observed
    unknown: tuple[Unknown, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: Verdict | None = None
    end: End
