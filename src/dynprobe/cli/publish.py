"""A report is judged and goes out: to the files first, then to stdout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dynprobe.render import View, renderer

from .output import Artefacts
from .terminal import width_of, write_out

if TYPE_CHECKING:
    from dynprobe.report import Report


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
