"""`DynprobeError` as an event, and back: the error crosses from the worker to its parent."""

from __future__ import annotations

from typing import Literal

from ...errors import DynprobeError, ExitCode, GrammarError, InputError, InternalError, TargetError
from ...report.patch import Failed


def failed_of(error: DynprobeError) -> Failed:
    """The event that tells of `error`; `error_of` gives it back."""
    names: dict[type[DynprobeError], Literal["grammar", "input", "internal"]] = {
        GrammarError: "grammar",
        InputError: "input",
        InternalError: "internal",
    }
    kind = next((name for cls, name in names.items() if isinstance(error, cls)), "target")
    return Failed(
        kind=kind,
        exit_code=error.exit_code,
        message=error.message,
        hint=error.hint,
        detail=error.detail,
        text=getattr(error, "text", None),
        position=getattr(error, "position", None),
    )


def error_of(failed: Failed) -> DynprobeError:
    """The error that `failed` tells of, of the class it was raised as."""
    error: DynprobeError
    if failed.kind == "grammar" and failed.text is not None and failed.position is not None:
        error = GrammarError(
            failed.message, text=failed.text, position=failed.position, hint=failed.hint
        )
    else:
        cls = {"input": InputError, "internal": InternalError}.get(failed.kind, TargetError)
        error = cls(failed.message, hint=failed.hint, detail=failed.detail)
    error.exit_code = ExitCode(failed.exit_code)
    return error
