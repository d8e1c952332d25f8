"""What is told where no rule knows more."""

from __future__ import annotations

from .base import BreakRule, CauseRule

RECOMPILE = CauseRule(
    id="recompile",
    title="A guard failed",
    why="""\
A value that the graph was captured for is not what it was, and no rule knows more about this kind
of value. The finding names the value, and the report the line that reads it. Nothing is advised
that has not been shown to help.""",
    matches=lambda cause: True,
)
GRAPH_BREAK = BreakRule(
    id="graph-break",
    title="A graph break",
    why="""\
Dynamo cannot capture what this line does. It ends the graph before it, runs the line in Python and
captures what follows as a graph of its own. The report has torch's own explanation and hints for
this kind of break. No rule knows more about it, and nothing is advised that has not been shown to
help.""",
    matches=lambda site: True,
)
