"""The report: frozen facts, their JSON schema, and the patches it is assembled from."""

from __future__ import annotations

from .base import SCHEMA_VERSION, Line, Unknown
from .calls import Call
from .frames import Crossing, DynamicDim, Effect, Entry, Frame, Graph, GraphBreak, Op, Specialised
from .guards import Against, FailedGuard, Guard, GuardKind, Holder, Origin, Recompile, Root
from .jax import BridgeUse, Effect, Jax, JaxCall, JaxCause, JaxOffer, JaxOutcome, Jaxpr, Route
from .model import (
    Accepts,
    Counters,
    End,
    Environment,
    Finding,
    Report,
    Settings,
    Severity,
    Target,
    Verdict,
)
from .parts import (
    Alone,
    CallError,
    Change,
    Difference,
    EagerRun,
    FrameRun,
    Outcome,
    Unguarded,
)

__all__ = [
    "SCHEMA_VERSION",
    "Accepts",
    "Against",
    "Alone",
    "BridgeUse",
    "Call",
    "CallError",
    "Change",
    "Counters",
    "Crossing",
    "Difference",
    "DynamicDim",
    "EagerRun",
    "Effect",
    "End",
    "Entry",
    "Environment",
    "FailedGuard",
    "Finding",
    "Frame",
    "FrameRun",
    "Graph",
    "GraphBreak",
    "Guard",
    "GuardKind",
    "Holder",
    "Jax",
    "JaxCall",
    "JaxCause",
    "JaxOffer",
    "JaxOutcome",
    "Jaxpr",
    "Line",
    "Op",
    "Origin",
    "Outcome",
    "Recompile",
    "Report",
    "Root",
    "Route",
    "Settings",
    "Severity",
    "Specialised",
    "Target",
    "Unguarded",
    "Unknown",
    "Verdict",
]
