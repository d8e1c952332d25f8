"""The report: frozen facts, their JSON schema, and the patches it is assembled from."""

from __future__ import annotations

from .base import SCHEMA_VERSION, Line, Unknown
from .calls import Call, CallError, FrameRun, Outcome
from .frames import DynamicDim, Effect, Entry, Frame, Graph, GraphBreak, Op
from .guards import Against, FailedGuard, Guard, GuardKind, Origin, Recompile
from .model import Counters, End, Environment, Finding, Report, Settings, Target, Verdict

__all__ = [
    "SCHEMA_VERSION",
    "Against",
    "Call",
    "CallError",
    "Counters",
    "DynamicDim",
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
    "Line",
    "Op",
    "Origin",
    "Outcome",
    "Recompile",
    "Report",
    "Settings",
    "Target",
    "Unknown",
    "Verdict",
]
