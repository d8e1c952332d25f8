"""What JAX did with the same calls, and where the two models part."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Line, Model
from .parts import CallError, Change, Difference

Route = Literal["twin", "bridge"]
JaxOutcome = Literal["trace", "hit", "error", "unavailable"]
"""`trace`: Python ran at least once under the tracer; `hit`: it did not, a compiled program ran;
`error`: the call raised; `unavailable`: nothing can be said, `JaxCall.note` says why."""


class JaxCause(Model):
    """One reason for a new trace, against the nearest earlier trace. `path` names the argument
    as a user would (`x`, `batch['items'][1]`), "" for the function itself or a setting."""

    kind: Literal[
        "first", "shape", "dtype", "rank", "weak_type", "static", "structure", "function",
        "config", "failed_before", "inner", "other",
    ]  # fmt: skip
    path: str
    now: str
    before: str | None = None
    before_call: int | None = None  # the call whose trace it is compared with


class Jaxpr(Model):
    """The program of one trace. `eqns` are its equations, inner jaxprs included; `primitives` how
    often each occurs; `consts` the sizes of what it closes over. `text` only where asked for."""

    call: int
    eqns: int
    primitives: dict[str, int]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    consts: tuple[str, ...] = ()
    text: str | None = None


class JaxOffer(Model):
    """What JAX offers instead of what raised: a name (`jax.lax.cond`) and one sentence."""

    name: str
    text: str


class JaxCall(Model):
    """The call under `jax.jit`. `traces` is how often Python ran under the tracer during it, told
    by a counter of our own. `inputs` are avals as JAX sees them. `stale`: True where the jitted
    result differs from the same function's un-jitted one on this call, None where that could not
    be compared; `difference` is then where. `changes`: what the un-jitted call changed and the
    jitted one did not, or otherwise. `vs_eager`: whether the result equals eager torch's."""

    outcome: JaxOutcome
    traces: int = 0
    inputs: tuple[str, ...] = ()
    causes: tuple[JaxCause, ...] = ()
    error: CallError | None = None
    offers: tuple[JaxOffer, ...] = ()
    stale: bool | None = None
    difference: Difference | None = None
    changes: tuple[Change, ...] = ()
    same_as_eager: bool | None = None
    eager_difference: Difference | None = None
    random: bool = False  # random numbers were drawn while it was traced
    note: str | None = None


class SideEffect(Model):
    """Something a call did besides giving a result, on each side: the value that `what` had
    after the call, in words; None where that side left it as it was, or was not observed
    (`sides` says which were)."""

    kind: Literal["argument", "global", "attribute", "closure", "printed", "environment"]
    what: str
    before: str | None
    eager: str | None
    dynamo: str | None
    jax: str | None
    sides: tuple[Literal["eager", "dynamo", "jax"], ...] = ("eager", "dynamo", "jax")


class BridgeUse(Model):
    """How the operations of the function were answered, each name with how often it was traced.
    `random` are those that draw random numbers, once, when traced."""

    native: dict[str, int] = Field(default_factory=dict)
    decomposed: dict[str, int] = Field(default_factory=dict)
    callback: dict[str, int] = Field(default_factory=dict)
    random: dict[str, int] = Field(default_factory=dict)


class Jax(Model):
    """The JAX side. `route` None: unavailable, `unavailable` says why in one line. `trust` says
    in words how far the facts can be trusted. `narrowed` are inputs that JAX holds in fewer bits
    (`x: f64 as f32`)."""

    route: Route | None
    unavailable: str | None = None
    trust: str = ""
    target: str | None = None  # of a named twin
    file: str | None = None
    line: int | None = None
    version: str | None = None
    x64: bool = False
    traces: int = 0
    hits: int = 0
    errors: int = 0
    static_argnames: tuple[str, ...] = ()
    jit_options: dict[str, str] = Field(default_factory=dict)  # of a twin that was jitted already
    narrowed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()  # classes the bridge took apart that JAX does not know
    bridge: BridgeUse | None = None
    jaxprs: tuple[Jaxpr, ...] = ()
    where: Line | None = None
