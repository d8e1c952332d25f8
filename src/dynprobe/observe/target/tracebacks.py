"""The user's exceptions in text, without the frames that are none of their business."""

from __future__ import annotations

import importlib
import os
import traceback

from ..dynamo.taps import is_dynamo_file
from ..files import OURS

_IMPORTLIB = os.path.dirname(os.path.abspath(importlib.__file__)) + os.sep


def error_line(error: BaseException) -> str:
    """`ValueError: no such mode`: the type and the first line of its message. Never raises."""
    name = type(error).__name__
    try:
        said = str(error).strip()
    except Exception:
        said = ""
    return f"{name}: {said.splitlines()[0]}" if said else name


def user_traceback(error: BaseException) -> str:
    """The traceback of `error` and of what it was raised from, without the frames of dynprobe, of
    Dynamo and of the import system. A syntax error has its line and caret. Never raises."""
    try:
        told = traceback.TracebackException.from_exception(error)
        if _prune(told, set()):
            return "".join(told.format()).rstrip()
        return "".join(told.format_exception_only()).rstrip()
    except Exception:  # an exception whose own attributes raise
        return error_line(error)


def _prune(told: traceback.TracebackException, seen: set[int]) -> bool:
    """Drop foreign frames from `told` and its chain; whether any of the user's is left."""
    if id(told) in seen:
        return False
    seen.add(id(told))
    kept = [frame for frame in told.stack if not _is_foreign(frame.filename)]
    told.stack = traceback.StackSummary.from_list(kept)
    chained = [other for other in (told.__cause__, told.__context__) if other is not None]
    # Each must be pruned, so no short cut.
    return any([bool(kept), *[_prune(other, seen) for other in chained]])


def _is_foreign(file: str) -> bool:
    return file.startswith(("<frozen importlib", OURS, _IMPORTLIB)) or is_dynamo_file(file)
