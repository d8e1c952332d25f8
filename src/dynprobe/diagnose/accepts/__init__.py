"""What the next call may bring: for each source that guards mention, what the entries there are
accept of it. A pure function of a report."""

from __future__ import annotations

from dynprobe.report import Accepts, Frame, Report, Settings

from .rows import frame_rows


def accepts(report: Report) -> tuple[Accepts, ...]:
    """Rows for the user's own guards, frame by frame; none for a frame that Dynamo gave up."""
    return tuple(
        row
        for frame in report.frames
        if frame.state != "skipped"
        for row in frame_rows(frame, _miss(frame, report.settings))
    )


def _miss(frame: Frame, settings: Settings) -> str:
    """What a call that no entry accepts does."""
    limit = settings.recompile_limit
    if frame.state != "limit" and (limit is None or len(frame.entries) < limit):
        return "recompiles"
    return "raises" if settings.fullgraph else "runs eagerly"
