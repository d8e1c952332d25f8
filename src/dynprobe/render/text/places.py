"""Places in source: `examples/first_steps.py:11 in g`, and the line itself."""

from __future__ import annotations

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.report import Line

from .style import DIM, PLACE, join, line
from .wrap import fold


def at(file: str, number: int | None, cwd: str, function: str | None = None) -> Text:
    """`path:line in function`."""
    where = line((place(file, number, cwd), PLACE))
    return line(where, (f" in {function}", DIM)) if function else where


def with_code(where: Text, code: str | None) -> Text:
    """The place, and the source line after it."""
    return line(where, "  ", code.strip()) if code and code.strip() else where


def source_line(source: Line, cwd: str, width: int, *, indent: int) -> list[Text]:
    where = at(source.file, source.line, cwd, source.function)
    return fold(with_code(where, source.text), width, indent=indent)


def through(stack: tuple[Line, ...], cwd: str) -> Text:
    """A call stack on one line, outermost first: `f (a.py:3) → helper (a.py:20)`."""
    steps = []
    for step in stack:
        where = line((place(step.file, step.line, cwd), PLACE))
        steps.append(line(step.function or "", " (", where, ")") if step.function else where)
    return join(steps, line((" → ", DIM)))
