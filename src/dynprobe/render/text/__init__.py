"""The report for people: sections in a fixed order, each only where it has something to say."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from rich.console import Console
from rich.text import Text

from dynprobe.render.base import View
from dynprobe.report import Report

from .accepts import accepts
from .alone import alone
from .breaks import breaks
from .calls import calls
from .compared import compared
from .eager import eager
from .effects import effects
from .errors import errors
from .findings import findings
from .graphs import graphs
from .guards import guards
from .head import settings, verdict
from .jax import jax
from .recompiles import recompiles
from .style import HEADING
from .unknown import end, unknown

Section = Callable[[Report, View], list[Text]]
_SECTIONS: tuple[tuple[str, Section], ...] = (
    ("Calls", calls),
    ("Errors", errors),
    ("Recompiles", recompiles),
    ("Graph breaks", breaks),
    ("Not compiled", eager),
    ("Against eager", compared),
    ("Alone", alone),
    ("Guards", guards),
    ("What hits", accepts),
    ("Graphs", graphs),
    ("JAX", jax),
    ("Side effects", effects),
    ("Findings", findings),
    ("Not known", unknown),
    ("Ended early", end),
)


class TextRenderer:
    def render(self, report: Report, view: View) -> str:
        """Lines of at most `view.width` cells. With `view.color`, ANSI codes of the terminal's
        own palette; without, no escape code at all."""
        lines = verdict(report, view)
        if not view.quiet:
            lines += settings(report, view)
            for title, section in _SECTIONS:
                if body := section(report, view):
                    lines += [Text(), Text(title, style=HEADING), *body]
        return _printed(lines, view.color)


def _printed(lines: list[Text], color: bool) -> str:
    """Depends on nothing of the terminal or the environment."""
    console = Console(
        file=StringIO(),
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    out = []
    for text in lines:
        with console.capture() as captured:
            console.print(text, end="", soft_wrap=True)
        out.append(captured.get().rstrip(" "))
    return "\n".join(out) + "\n"


RENDERER = TextRenderer()
