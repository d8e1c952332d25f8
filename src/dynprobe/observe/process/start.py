"""The parent's side of an observation in a process of its own: start it, hand it its order, end it.

Imports little, so that the child starts at once and imports torch while the parent still imports
what it needs itself.
"""

from __future__ import annotations

import os
import pickle
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from ...report import Report
    from ...report.patch import Event
    from ...spec.model import Probe

ENTRY = "dynprobe.observe.run:observe"
REAP_LIMIT = 5.0
"""Seconds that a killed process has to go. One stuck in the kernel may not."""

# A signal that programs rarely use: not SIGUSR1 or SIGUSR2, which schedulers send.
STACK_SIGNAL: int = signal.SIGRTMAX - 7 if hasattr(signal, "SIGRTMAX") else signal.SIGUSR2


def start_worker(
    probe: Probe | None = None, *, entry: str = ENTRY, shown: bool = True, kept: bool = False
) -> Worker:
    """Starts the process that will observe. It imports torch right away; `probe` may follow
    later (`Worker.send`). Where the operating system can do it, the worker dies with the thread
    that calls this: call it from one that lives as long as the worker.

    `entry` is "module:function" with the signature of `run.observe`. `shown`: what the target
    prints goes to our stderr, otherwise nowhere. `kept`: its standard output is told call by call
    (`Printed`) besides.

    Raises OSError where there can be no further process.
    """
    token = secrets.token_hex(16) if kept else ""
    with ExitStack() as ours, ExitStack() as theirs:
        channel, channel_end = _pipe(ours, theirs)
        stacks, stacks_end = _pipe(ours, theirs)
        printed, printed_end = _pipe(ours, theirs) if kept else (None, None)
        words = [str(channel_end), str(stacks_end), str(os.getpid()), str(STACK_SIGNAL), entry]
        popen = _popen([*words, token], (channel_end, stacks_end), printed_end, shown=shown)
        ours.pop_all()  # the worker's from here on
    worker = Worker(popen, channel, stacks, printed, token=token.encode(), shown=shown)
    if probe is not None:
        worker.send(probe)
    return worker


def _pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    ours.callback(os.close, read)
    theirs.callback(os.close, write)
    return read, write


def _popen(
    words: list[str], passed: tuple[int, int], stdout: int | None, *, shown: bool
) -> subprocess.Popen[bytes]:
    stderr = _stderr() if shown else subprocess.DEVNULL
    return subprocess.Popen(
        # -P: no module in the current directory is taken for one of ours or of torch's.
        [sys.executable, "-P", "-m", "dynprobe.observe.process.worker", *words],
        stdin=subprocess.PIPE,
        stdout=stderr if stdout is None else stdout,
        stderr=stderr,
        pass_fds=passed,
        start_new_session=True,  # a Ctrl-C is ours to act on; killpg ends its children too
        env=_environment(),
    )


def _stderr() -> int:
    """What the target prints goes where our own messages go, at file-descriptor level too."""
    try:
        os.fstat(2)
    except OSError:  # the caller closed it
        return subprocess.DEVNULL
    return 2


def _environment() -> dict[str, str]:
    # An empty TORCH_LOGS makes `import torch` fail.
    kept = {k: v for k, v in os.environ.items() if (k, v) != ("TORCH_LOGS", "")}
    # Sets of texts in the same order in each process: what they compute is compared.
    return {"PYTHONHASHSEED": "0"} | kept


class Worker:
    """A process that observes. `channel` and `stacks` are the read ends of the pipes on which it
    tells events and, when asked or crashing, its Python stacks; `printed` that of its standard
    output, where that is kept, with marks that begin with `token`. Leaving `with` ends it."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        channel: int,
        stacks: int,
        printed: int | None = None,
        *,
        token: bytes = b"",
        shown: bool = True,
    ) -> None:
        self._popen = popen
        self.channel = channel
        self.stacks = stacks
        self.printed = printed
        self.token = token
        self.shown = shown
        self.probe: Probe | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def send(self, probe: Probe) -> None:
        """Hands the worker its order, once. A worker that is gone already is no error here:
        `finish` tells how it ended."""
        self.probe = probe
        assert self._popen.stdin is not None
        with suppress(BrokenPipeError), self._popen.stdin as pipe:
            pipe.write(pickle.dumps(probe))

    def finish(self, on_event: Callable[[Event], None] | None = None) -> Report:
        """Follows the observation to its end, which may be a bad one: the report then holds what
        was seen before, and its `end` says what happened.

        Raises DynprobeError where there is nothing to report: the target could not be loaded, or
        the process ended while it was. Raises KeyboardInterrupt if interrupted that early.
        """
        from .follow import follow  # imports pydantic: not before the child is on its way

        try:
            return follow(self, on_event).report()
        finally:
            self.kill()

    def returncode(self, wait: float = 0.0) -> int | None:
        """As `subprocess` has it (negative: a signal); None if it still runs after `wait` s."""
        if not wait:
            return self._popen.poll()
        try:
            return self._popen.wait(wait)
        except subprocess.TimeoutExpired:
            return None

    def ask_stacks(self) -> None:
        """Has the worker write its stacks, even while it holds the GIL."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, STACK_SIGNAL)

    def kill(self) -> None:
        """Ends the worker and all that it started, without waiting."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._popen.kill()  # a target that made a process group of its own

    def close(self) -> None:
        """Ends the worker, waits until it is gone, and gives the pipes back."""
        if self._closed:
            return
        self._closed = True
        self.kill()
        self.returncode(wait=REAP_LIMIT)
        for fd in (self.channel, self.stacks, self.printed):
            if fd is not None:
                os.close(fd)
        if self._popen.stdin is not None:
            with suppress(BrokenPipeError):
                self._popen.stdin.close()
