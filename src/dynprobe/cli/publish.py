"""A report is judged and goes out: to the files first, then to stdout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dynprobe.render import View, renderer

from .output import Artefacts
from .problems import say
from .terminal import width_of, write_out

if TYPE_CHECKING:
    from dynprobe.gate.limits import Limits
    from dynprobe.report import Report


def held_to(seen: Report, limits: Limits) -> Report:
    """The report, judged; what exceeds a limit is in its verdict and told on stderr."""
    if not limits:
        return seen
    from dynprobe.diagnose.verdict import judged
    from dynprobe.gate.limits import exceeded, gated

    report, _ = judged(seen)
    for told in exceeded(report, limits):
        say(f"limit: {told}")
    return gated(report, limits)


def publish(
    seen: Report, output_format: str, view: View, artefacts: Artefacts, width: int | None
) -> int:
    """Judges the report if nobody has; gives its verdict's exit code. `view` is of stdout: files
    have no colour, and the width of a pipe."""
    from dynprobe.diagnose.verdict import judged

    report, verdict = judged(seen)
    artefacts.write(report, replace(view, color=False, width=width_of(width, None)))
    write_out(renderer(output_format).render(report, view))
    return verdict.exit_code
