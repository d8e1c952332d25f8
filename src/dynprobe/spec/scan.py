"""A place in a text, and the small things that are read there: blanks, words, quoted strings.

Hints are built as `instruction: example`, and the example reads on its own: a test holds every
error to that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import GrammarError

_BLANKS = re.compile(r"\s*")
_ITEM = re.compile(r"(?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|[^,\]}])*")
_QUOTED = {
    quote: re.compile(rf"{quote}((?:[^\\{quote}]|\\.)*){quote}", re.DOTALL) for quote in "'\""
}
_ESCAPE = re.compile(r"\\(N\{[^}]*\}|x.{0,2}|u.{0,4}|U.{0,8}|[0-7]{1,3}|.)", re.DOTALL)
_SINGLE = dict(zip("\\'\"abfnrtv", "\\'\"\a\b\f\n\r\t\v", strict=True)) | {"\n": ""}
_SHOWN = 40


def hint_of(instruction: str, example: str) -> str:
    """A hint that holds one example; `instruction` has no `": "` of its own."""
    return f"{instruction}: {example}"


def shown(text: str) -> str:
    """`text` quoted for a message: one line, printable, at most about 40 characters."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


@dataclass(slots=True)
class Scanner:
    """`pos` is the offset into `text` of what is read next."""

    text: str
    pos: int = 0

    def error(self, message: str, hint: str, at: int | None = None) -> GrammarError:
        """The error to raise, its caret under `at` (the current place where None)."""
        position = self.pos if at is None else at
        return GrammarError(message, text=self.text, position=position, hint=hint)

    def blanks(self) -> None:
        """Go past white space."""
        self.match(_BLANKS)

    def peek(self) -> str:
        """The next character, "" at the end."""
        return self.text[self.pos : self.pos + 1]

    def at_end(self) -> bool:
        return self.pos >= len(self.text)

    def accept(self, token: str) -> bool:
        """Go past `token` where it comes next; whether it did."""
        found = self.text.startswith(token, self.pos)
        self.pos += len(token) if found else 0
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go past what `pattern` matches here; None where it does not."""
        found = pattern.match(self.text, self.pos)
        if found:
            self.pos = found.end()
        return found

    def item(self, start: int) -> str:
        """What was typed from `start` to the next comma or closing bracket, for a message."""
        found = _ITEM.match(self.text, start)
        return found.group().strip() if found else ""

    def found(self) -> str:
        """What comes next, in words."""
        return "the end" if self.at_end() else repr(self.peek())

    def quoted(self) -> str:
        """A quoted string, with the escapes of Python's own. The next character is its quote."""
        start = self.pos
        found = self.match(_QUOTED[self.peek()])
        if not found:
            raise self.error(
                f"the string that starts with {self.text[start]} has no end",
                hint_of("close the quote", "'sin'"),
                start,
            )
        return _ESCAPE.sub(lambda escape: self._escaped(escape, start + 1), found.group(1))

    def _escaped(self, escape: re.Match[str], offset: int) -> str:
        whole, body = str(escape[0]), str(escape[1])
        if body in _SINGLE:
            return _SINGLE[body]
        if body[0] in "01234567":
            return chr(int(body, 8))
        if body[0] not in "xuUN" or body == "N":
            return whole  # no escape: as in Python, the backslash stays
        try:
            return whole.encode("ascii").decode("unicode_escape")
        except UnicodeError:
            raise self.error(
                f"{shown(whole)} is not an escape that Python reads",
                hint_of("write a backslash twice to mean itself", r"'C:\\users'"),
                offset + escape.start(),
            ) from None
