"""The report: frozen facts, their JSON schema, and the patches it is assembled from."""

from __future__ import annotations

from .base import SCHEMA_VERSION, Line, Unknown
from .calls import (
    Alone,
    Call,
    CallError,
    Change,
    Difference,
    EagerRun,
    FrameRun,
    Outcome,
    Unguarded,
)
from .frames import Crossing, DynamicDim, Effect, Entry, Frame, Graph, GraphBreak, Op, Specialised
from .guards import Against, FailedGuard, Guard, GuardKind, Holder, Origin, Recompile, Root
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

__all__ = [
    "SCHEMA_VERSION",
    "Accepts",
    "Against",
    "Alone",
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
    "Line",
    "Op",
    "Origin",
    "Outcome",
    "Recompile",
    "Report",
    "Root",
    "Settings",
    "Severity",
    "Specialised",
    "Target",
    "Unguarded",
    "Unknown",
    "Verdict",
]
