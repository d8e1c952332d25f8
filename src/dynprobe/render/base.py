"""What every renderer is, and how a report is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # pydantic, which `dynprobe --help` does without
    from dynprobe.report import Report


@dataclass(frozen=True, slots=True)
class View:
    """`width` in terminal cells; the rest says how much of a report is shown."""

    width: int = 120
    color: bool = False
    verbose: bool = False
    quiet: bool = False  # the verdict alone
    all_guards: bool = False  # every guard on a line of its own, torch's and the process's too
    graphs: bool = False  # the code of each graph


class Renderer(Protocol):
    """One output format. The same report and view give the same text, byte for byte."""

    def render(self, report: Report, view: View) -> str:
        """The whole output, ending in a newline."""
        ...
