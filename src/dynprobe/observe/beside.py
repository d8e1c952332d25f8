"""Which observations an order asks for beside the main one, and what their facts become."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .sides import Seen, Side, Sides

if TYPE_CHECKING:
    from ..report import Report
    from ..spec.model import Probe

ALONE = "dynprobe.observe.alone:observe"
EAGER = "dynprobe.observe.eager:observe"


@contextmanager
def observing(probe: Probe) -> Iterator[Sides]:
    """All that `probe` asks for, on its way.

    Raises OSError where the main side's process cannot be started.
    """
    sides = [Side("each call alone", ALONE, probe, _with_alone)] if probe.options.alone else []
    if not probe.options.eager:
        with Sides(probe, sides) as started:
            yield started
        return
    with _folders("compiled", "eager") as (compiled, eager):
        merge = partial(_with_eager, compiled=compiled, eager=eager)
        plain = Side("each call against eager", EAGER, _recording(probe, eager), merge, kept=True)
        with Sides(_recording(probe, compiled), [*sides, plain], kept=True) as started:
            yield started


@contextmanager
def _folders(*names: str) -> Iterator[list[Path]]:
    """Empty ones, while they are needed."""
    import shutil
    import tempfile  # slow, and seldom needed: the workers are to be on their way first

    top = Path(tempfile.mkdtemp(prefix="dynprobe-"))
    try:
        folders = [top / name for name in names]
        for folder in folders:
            folder.mkdir()
        yield folders
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _recording(probe: Probe, folder: Path) -> Probe:
    return replace(probe, options=replace(probe.options, record=str(folder)))


def _with_alone(report: Report, main: Seen, side: Seen) -> Report:
    from .lost import with_alone

    return with_alone(report, side.followed.seen if side.followed else None, side.unknown)


def _with_eager(report: Report, main: Seen, side: Seen, *, compiled: Path, eager: Path) -> Report:
    from .compare import compared

    return compared(report, compiled, eager, main.printed, side.printed, side.unknown)
