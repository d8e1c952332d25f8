"""The exception a call raised, as the report keeps it."""

from __future__ import annotations

import re
import traceback
from typing import Any, Literal

from ...report import CallError, Line
from ..target.tracebacks import error_line, user_traceback
from .places import Places

_STEP = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>.+)$', re.MULTILINE)
_LONGEST = 4000  # characters of a message: torch's run to pages


def call_error(error: BaseException, places: Places) -> CallError:
    """`where` is the innermost line of the user's own code: of Dynamo's record of the user's
    stack where the error has one, else of its traceback."""
    kind: Literal["raised", "exited"] = "exited" if isinstance(error, SystemExit) else "raised"
    return CallError(
        type=_type_name(error),
        message=_message(error),
        where=_where(error, places),
        traceback=user_traceback(error),
        kind=kind,
    )


def _type_name(error: BaseException) -> str:
    cls = type(error)
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be read)"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


def _where(error: BaseException, places: Places) -> Line | None:
    recorded: Any = getattr(error, "real_stack", None)
    if recorded:
        found = places.nearest_user(places.stack(recorded))
        if found is not None:
            return found
    raised = places.nearest_user(places.stack(traceback.extract_tb(error.__traceback__)))
    return raised or places.nearest_user(_told(error, places))


def _told(error: BaseException, places: Places) -> tuple[Line, ...]:
    """The user's stack where only the message has it: a marked size that code made a constant is
    refused after the code was captured."""
    text = _message(error).partition("User stack:")[2]
    return tuple(places.line(m["file"], int(m["line"]), m["name"]) for m in _STEP.finditer(text))


def short(error: CallError) -> str:
    """`ValueError: no such mode`, for a table's cell."""
    head = error.message.strip().partition("\n")[0]
    name = error.type.rpartition(".")[2]
    return f"{name}: {head}" if head else name


__all__ = ["call_error", "error_line", "short"]
