"""What an observation tells while it runs, so that what was seen is kept if it ends badly.

An observation emits `Started`, then `Loaded`, then for each call `Began` and `Patch`, then
`Finished`; or `Failed` where something could not be loaded. Each is one line of JSON.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from .base import Model, Unknown
from .calls import Call
from .frames import Entry, Frame, GraphBreak
from .guards import Recompile
from .jax import Jax, JaxCall, Jaxpr
from .model import Environment, Settings, Target


class Started(Model):
    event: Literal["started"] = "started"
    environment: Environment
    settings: Settings
    cwd: str


class Loaded(Model):
    """`recompile_limit` is the limit in force, which the user's module may have set as it was
    imported: it replaces that of `Started.settings`."""

    event: Literal["loaded"] = "loaded"
    target: Target
    calls: int  # how many will be made
    recompile_limit: int | None = None


class Began(Model):
    event: Literal["began"] = "began"
    index: int
    label: str | None
    inputs: tuple[str, ...]


class NewEntry(Model):
    frame_key: int
    entry: Entry


class Patch(Model):
    """What one call added. `frames` come without entries and replace those of the same `key`
    (their entries stay); `graph_breaks` replace those of the same `index`, but that their
    `per_call` has this call alone and is appended; all else is appended."""

    event: Literal["patch"] = "patch"
    call: Call
    frames: tuple[Frame, ...] = ()
    entries: tuple[NewEntry, ...] = ()
    graph_breaks: tuple[GraphBreak, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    unknown: tuple[Unknown, ...] = ()


class JaxLoaded(Model):
    """The JAX side's route, known once the target is loaded; and again, with what was found out,
    before `Finished`. The last one counts. Counts and jaxprs in it are empty."""

    event: Literal["jax_loaded"] = "jax_loaded"
    jax: Jax


class JaxPatch(Model):
    """What one call under `jax.jit` did."""

    event: Literal["jax_patch"] = "jax_patch"
    index: int
    call: JaxCall
    jaxpr: Jaxpr | None = None
    unknown: tuple[Unknown, ...] = ()


class Finished(Model):
    event: Literal["finished"] = "finished"


class Failed(Model):
    """A `DynprobeError`: `kind` names its class, `exit_code` is an `ExitCode`, the other fields
    are the error's own. `text` and `position` are set where a text could not be read."""

    event: Literal["failed"] = "failed"
    kind: Literal["grammar", "target", "input", "internal"] = "target"
    exit_code: int
    message: str
    hint: str | None = None
    detail: str | None = None
    text: str | None = None
    position: int | None = None


Event = Annotated[
    Started | Loaded | Began | Patch | JaxLoaded | JaxPatch | Finished | Failed,
    Field(discriminator="event"),
]
event_adapter: TypeAdapter[Event] = TypeAdapter(Event)
