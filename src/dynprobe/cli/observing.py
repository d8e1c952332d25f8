"""Running an observation from the command line: in a process of its own, or in this one."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from .problems import say
from .terminal import is_terminal

if TYPE_CHECKING:
    from dynprobe.report import Report
    from dynprobe.report.patch import Event
    from dynprobe.spec.model import Probe


def observed(probe: Probe, *, in_process: bool, quiet: bool, verbose: bool) -> Report:
    """Raises DynprobeError where there is nothing to report, KeyboardInterrupt if interrupted
    before there is."""
    if in_process:
        from dynprobe.observe.here import observe_here

        with _stdout_kept():
            return observe_here(probe, on_event=_teller(verbose, lambda: None))
    from dynprobe.observe.beside import observing

    with observing(probe) as sides:
        _import_the_rest()  # while the workers import torch
        with _spinner("importing torch", quiet) as stop:
            sides.follow(on_event=_teller(verbose, stop))
        waiting = " and ".join(sides.going_on)
        with _spinner(f"waiting for {waiting}", quiet or not waiting):
            return sides.report()


def _import_the_rest() -> None:
    import dynprobe.diagnose.verdict
    import dynprobe.render.text  # noqa: F401


def _teller(verbose: bool, stop: Callable[[], None]) -> Callable[[Event], None]:
    """Ends the spinner before the first line of the user's code runs: what the target prints to
    the same terminal must not be mixed with it."""

    def tell(event: Event) -> None:
        stop()
        if verbose and event.event == "began":
            say(f"call {event.index}: {', '.join(event.inputs)}")

    return tell


@contextmanager
def _spinner(text: str, quiet: bool) -> Iterator[Callable[[], None]]:
    """`text` on a terminal; gives what ends it early."""
    if quiet or not is_terminal(sys.stderr):
        yield lambda: None
        return
    from rich.console import Console

    status = Console(stderr=True).status(text)
    with status:
        yield status.stop


@contextmanager
def _stdout_kept() -> Iterator[None]:
    """What a target in this process prints goes to stderr, at file-descriptor level too."""
    stdout = sys.stdout
    if stdout is None:
        yield
        return
    stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        with suppress(OSError, ValueError, AttributeError):  # a stdout that the target replaced
            sys.stdout.flush()
        with suppress(OSError, ValueError):
            stdout.flush()
        ctypes.CDLL(None).fflush(None)  # what C code printed
        sys.stdout = stdout
        os.dup2(kept, 1)
        os.close(kept)
