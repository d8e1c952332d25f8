"""`dynprobe schema`: the JSON schema of a report."""

from __future__ import annotations

from .terminal import write_out


def schema() -> None:
    """Print the JSON schema of the JSON report."""
    from dynprobe.report.schema import report_schema_text

    write_out(report_schema_text())
