"""`python -m dynprobe.observe.process.worker`: one observation, in a process that may end badly.

Arguments: file descriptors of the event and stack pipes, the parent's process id, the signal that
asks for the stacks, "module:function" of what to run, and the token of the marks to write into
standard output before each event (empty: none). The order (a pickled `Probe`) comes on
standard input while torch is being imported.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from io import FileIO
from typing import TYPE_CHECKING, Any

from ...errors import DynprobeError, InternalError, TargetError

if TYPE_CHECKING:
    from ...report.patch import Event

_PR_SET_PDEATHSIG = 1
_OUT_OF_THE_WAY = 700  # first file descriptor we move ours to: programs close the low ones


def main(argv: list[str]) -> None:
    channel, stacks, parent, ask = map(int, argv[1:5])
    entry, token = argv[5], argv[6].encode()
    sys.argv = argv[:1]  # a target that reads its arguments must not meet ours
    _die_with(parent)
    order = _move_away(0)
    _nothing_to_read()
    _tell_stacks(_move_away(stacks), ask)
    _line_by_line()
    _observe(entry, order, _writer(_move_away(channel), token))
    _leave()


def _writer(channel: int, token: bytes) -> Callable[[Event], None]:
    from .channel import MarkingWriter, Writer

    writer = Writer(channel)
    return MarkingWriter(writer, _out_of_the_way(1), token) if token else writer


def _observe(entry: str, order: int, writer: Callable[[Event], None]) -> None:
    try:
        run = _import(entry)
    except BaseException as error:
        writer(_failed(f"torch cannot be imported: {_name(error)}", TargetError))
        return
    with FileIO(order) as pipe:
        text = pipe.readall()
    if not text:  # the parent is gone, or has no order for us after all
        return
    try:
        run(pickle.loads(text), emit=_flushing(writer))
    except KeyboardInterrupt:  # a real one goes to our parent alone
        writer(_failed("the target raised KeyboardInterrupt, as Ctrl-C does", TargetError))
    except BaseException as error:
        writer(_failed(f"the observation itself failed: {_name(error)}", InternalError))


def _import(entry: str) -> Callable[..., None]:
    """With the garbage collector off, importing torch takes a third less time; what it made is
    then kept out of every later collection."""
    name, _, function = entry.partition(":")
    gc.disable()
    module = import_module(name)
    run: Callable[..., None] = getattr(module, function)
    if hasattr(module, "warm_up"):
        module.warm_up()
    gc.freeze()
    gc.enable()
    return run


def _failed(message: str, kind: type[DynprobeError]) -> Event:
    import traceback

    from .failure import failed_of

    return failed_of(kind(message, detail=traceback.format_exc()))


def _name(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _flushing(writer: Callable[[Event], None]) -> Callable[[Event], None]:
    """The parent ends us on the last event: what the target printed must be out before it."""

    def emit(event: Event) -> None:
        if event.event in ("finished", "failed"):
            _flush()
        writer(event)

    return emit


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(Exception):  # closed, or replaced by anything at all
            stream.flush()  # type: ignore[union-attr]
    ctypes.CDLL(None).fflush(None)  # C extensions


def _leave() -> None:
    """At once: a thread of the target's that never ends must not hold us."""
    _flush()
    os._exit(0)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _move_away(fd: int) -> int:
    moved = _out_of_the_way(fd)
    os.close(fd)
    return moved


def _out_of_the_way(fd: int) -> int:
    """A duplicate of `fd` that a target which closes or reuses low file descriptors leaves alone,
    and that programs it starts do not inherit."""
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
    except OSError:  # a low limit on open files
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)


def _nothing_to_read() -> None:
    null = os.open(os.devnull, os.O_RDONLY)  # 0 itself, unless something closed another low one
    if null != 0:
        os.dup2(null, 0)
        os.close(null)
    os.set_inheritable(0, True)


def _tell_stacks(fd: int, ask: int) -> None:
    os.write(fd, b"Main thread 0x%x\n" % threading.get_ident())
    faulthandler.enable(file=fd, all_threads=True)
    faulthandler.register(ask, file=fd, all_threads=True, chain=False)


def _line_by_line() -> None:
    """Standard output is standard error's file, or is cut into calls: keep the order in which
    things were printed."""
    stdout: Any = sys.stdout
    if stdout is not None:
        stdout.reconfigure(line_buffering=True)


if __name__ == "__main__":
    main(sys.argv)
