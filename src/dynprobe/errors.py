"""What can go wrong, in words a person can act on, and the exit code each kind has."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The process's exit codes; documented in the README."""

    OK = 0
    LIMIT = 1
    USAGE = 2
    TARGET = 3
    INTERNAL = 4
    INTERRUPTED = 130


class DynprobeError(Exception):
    """A failure told in one sentence.

    `message` says what was wrong and where, `hint` what to write instead, `detail` is evidence
    from outside dynprobe (a traceback of the user's own code).
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, message: str, *, hint: str | None = None, detail: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail


class GrammarError(DynprobeError):
    """A text that the input grammar does not read.

    `text` is the whole text as typed and `position` the offset (0 … len(text)) of the character
    that could not be read, so that a caret can be drawn under it.
    """

    def __init__(self, message: str, *, text: str, position: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.position = position


class TargetError(DynprobeError):
    """The target, or something it names, cannot be loaded or called as asked."""


class InputError(DynprobeError):
    """A call's values cannot be made: too large, no such file, not the right kind."""


class InternalError(DynprobeError):
    """A fault of dynprobe itself."""

    exit_code = ExitCode.INTERNAL
