"""`dynprobe rule`: what a finding's rule means, and what helps."""

from __future__ import annotations

from typing import Annotated

import typer

from dynprobe.errors import DynprobeError

from .terminal import write_out


def rule(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[RULE]", help="A rule's id, as findings show it.", show_default=False
        ),
    ] = None,
) -> None:
    """Explain a rule that a finding names, or list all of them."""
    from dynprobe.diagnose.rules import RULES
    from dynprobe.diagnose.rules.page import page

    if name is None:
        width = max(len(known.id) for known in RULES)
        write_out("".join(f"{known.id.ljust(width)}  {known.title}\n" for known in RULES))
        return
    found = next((known for known in RULES if known.id == name), None)
    if found is None:
        raise DynprobeError(
            _no_rule(name, [known.id for known in RULES]), hint="dynprobe rule lists all"
        )
    write_out(page(found))


def _no_rule(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"there is no rule {name!r}" + (f"; did you mean {near[0]}?" if near else "")
