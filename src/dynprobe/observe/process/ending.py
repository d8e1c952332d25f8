"""How an observation's process ended, in words. Pure."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Literal, NoReturn

from ...errors import ExitCode, TargetError
from ...report import CallError, End
from ..assemble import Assembler
from .channel import LOST
from .stack import Stack, shown, stack_of, users_own

Kind = Literal["crashed", "timeout", "exited", "killed", "interrupted", "failed"]
_CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE}


@dataclass(frozen=True)
class Ending:
    """`says` follows the subject ("call 1"); `type` stands where an exception's class would.
    `stack` is where the process was, innermost first, if that is known."""

    kind: Kind
    type: str
    says: str
    stack: Stack = ()
    guess: str = ""


def by_time_limit(seconds: float, dump: str) -> Ending:
    says = f"ran out of time after {seconds:g} s"
    return Ending("timeout", "time limit", says, stack_of(dump, main_thread=True))


def by_interrupt(dump: str) -> Ending:
    stack = stack_of(dump, main_thread=True)
    return Ending("interrupted", "KeyboardInterrupt", "was interrupted", stack)


def by_exit(returncode: int, dump: str) -> Ending:
    """Of a process that ended by itself. `returncode` as `subprocess` has it: negative for a
    signal."""
    if returncode == LOST:
        says = "closed the file descriptor through which dynprobe reports"
        return Ending("failed", "report channel lost", says)
    if returncode >= 0:
        says = f"ended the process with exit code {returncode}"
        return Ending("exited", f"exit code {returncode}", says)
    name = _signal_name(-returncode)
    if -returncode in _CRASHES:
        return Ending("crashed", name, f"crashed with {name}", stack_of(dump))
    guess = ", perhaps for lack of memory" if name == "SIGKILL" else ""
    return Ending("killed", name, f"was killed ({name})", guess=guess)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def as_end(ending: Ending, seen: Assembler) -> End:
    """For the report: who it was that ended so, and where."""
    cwd = seen.started.cwd if seen.started else ""
    during = seen.began.index if seen.began else None
    return End(
        complete=False,
        kind=ending.kind,
        message=f"{_subject(seen)} {ending.says}{_place(ending, cwd)}{ending.guess}",
        during_call=during,
    )


def as_call_error(ending: Ending, seen: Assembler) -> CallError:
    """For the row of the call under way."""
    cwd = seen.started.cwd if seen.started else ""
    own = users_own(ending.stack)
    kinds: dict[Kind, Literal["crashed", "timeout", "exited", "killed"]] = {
        "crashed": "crashed",
        "timeout": "timeout",
        "exited": "exited",
        "failed": "exited",
    }
    return CallError(
        type=ending.type,
        message=f"{ending.says}{_place(ending, cwd)}{ending.guess}",
        where=own[0] if own else None,
        traceback=_traceback(own),
        kind=kinds.get(ending.kind, "killed"),
    )


def unloaded(ending: Ending, seen: Assembler, target: str) -> str:
    """What was under way when an observation ended before its target was loaded."""
    what = f"loading {target}" if seen.started else "importing torch"
    cwd = seen.started.cwd if seen.started else ""
    return f"{what} {ending.says}{_place(ending, cwd)}{ending.guess}"


def raise_unloaded(ending: Ending, seen: Assembler, target: str) -> NoReturn:
    """For an observation that ended before its target was loaded: there is no report to give.

    Raises TargetError with exit code 3, or 2 where torch itself could not be imported."""
    hint = "give it more time with --timeout SECONDS" if ending.kind == "timeout" else None
    error = TargetError(
        unloaded(ending, seen, target),
        hint=hint,
        detail=_traceback(users_own(ending.stack)),
    )
    error.exit_code = ExitCode.TARGET if seen.started else ExitCode.USAGE
    raise error


def _subject(seen: Assembler) -> str:
    if seen.again and seen.began:
        return f"call {seen.began.index}, made once more without torch.compile,"
    if seen.began:
        return f"call {seen.began.index}"
    if seen.calls:
        return f"after call {seen.calls[-1].index} the process"
    return "before its first call the process"


def _place(ending: Ending, cwd: str) -> str:
    """` at x.py:12 (f)`: the user's own line, else what ran in its place."""
    own = users_own(ending.stack)
    if own:
        return f" at {shown(own[0], cwd)}"
    if ending.stack:
        return f" inside {shown(ending.stack[0], cwd)}"
    return ""


def _traceback(own: Stack) -> str | None:
    """The user's lines, outermost first, as Python prints them."""
    lines = [f'  File "{line.file}", line {line.line}, in {line.function}' for line in own[::-1]]
    return "\n".join(lines) or None
