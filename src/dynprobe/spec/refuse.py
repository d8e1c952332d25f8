"""Why a word is no value: the mistakes people make, each with what to write instead."""

from __future__ import annotations

import re

from ..errors import GrammarError
from .dtypes import nearest_dtype
from .scan import Scanner, hint_of, shown

_WORD = re.compile(r"[^\s,\[\]{}()=:'\"@]*")
_NEGATIVE = re.compile(r"[0-9x]*?(?:^|x)(-)[0-9]+(?:x|\Z)")
_PREFIXED = re.compile(r"[bfru]{1,2}['\"]", re.IGNORECASE)
_SIZES = re.compile(r"[0-9]+(?:x[0-9]+)+")
_HEAD = re.compile(r"((?:[0-9]+x)+)(\S+)")
_SEPARATED = re.compile(r"[0-9]+(?:[*×X][0-9]+)+")
_ECHOED = 20  # sizes shorter than this fit into int64, so an example can have them
_PYTHON = {word.lower(): word for word in ("True", "False", "None", "inf", "nan")} | {
    "null": "None",
    "nil": "None",
    "infinity": "inf",
}


def word_at(s: Scanner) -> str:
    """The word that comes next, which is not read yet."""
    found = _WORD.match(s.text, s.pos)
    return found.group() if found else ""


def _after(s: Scanner, word: str) -> str:
    """The first character after `word` that is not blank, "" where there is none."""
    return s.text[s.pos + len(word) :].lstrip()[:1]


def no_value(s: Scanner, word: str) -> GrammarError:
    """The error for `word`, which comes next in a `--call` and is neither tensor nor literal."""
    at = s.pos
    if not word:
        return s.error(f"{s.found()} starts no value", hint_of("write it like this", "4x8xf32"))
    if _PREFIXED.match(s.text, at):
        hint = hint_of("leave it out", "'sin'")
        return s.error(f"a string with the prefix {word} is not read", hint)
    after = _after(s, word)
    if after == "=":
        return _no_name(s, word)
    if after == "(":
        hint = hint_of("make the value in a module and name it", "@pkg.mod:obj")
        return s.error(f"{shown(s.item(at))} is an expression, which is not read", hint)
    spelled = _PYTHON.get(word.lower().lstrip("+-"))
    if spelled:
        sign = "-" if word[0] == "-" and spelled in ("inf", "nan") else ""
        return s.error(
            f"{shown(word)} is not how it is spelled", hint_of("write", f"{sign}{spelled}")
        )
    return _no_tensor(s, word) or _unquoted(s, word)


def no_shape(s: Scanner, word: str) -> GrammarError:
    """The error for `word`, which comes next in a `--shapes` and is no shape."""
    item = s.item(s.pos)
    if item[:1] in ("(", "["):
        return s.error("a shape has no brackets", hint_of("join its sizes with x", "4x8"))
    if _after(s, word) == "=":
        return s.error(
            "a shape has no name; --call takes arguments by name",
            hint_of("write sizes alone", "4x8"),
        )
    if _SEPARATED.fullmatch(word):
        sizes = re.sub("[*×X]", "x", word) if len(word) < _ECHOED else "4x8"
        return s.error(f"{shown(word)} is not a shape", hint_of("join sizes with x", sizes))
    error = _no_tensor(s, word)
    if error:
        return error
    found = shown(item) if item else s.found()
    return s.error(
        f"{found} is not a shape; values of other kinds go into --call",
        hint_of("write sizes joined with x, a comma before the next call", "4x8,5x8"),
    )


def _no_tensor(s: Scanner, word: str) -> GrammarError | None:
    negative = _NEGATIVE.match(word)
    if negative:
        at = s.pos + negative.start(1)
        return s.error("a size cannot be negative", hint_of("write sizes from 0", "4x8xf32"), at)
    if _SIZES.fullmatch(word):
        sizes = word if len(word) < _ECHOED else "4x8"
        return s.error(f"{shown(word)} has no dtype", hint_of("add a dtype", f"{sizes}xf32"))
    head = _HEAD.fullmatch(word)
    if head:
        dtype = nearest_dtype(head[2]) or "f32"
        sizes = head[1] if len(head[1]) < _ECHOED else "4x8x"
        return s.error(
            f"{shown(head[2])} is not a dtype",
            hint_of("write it like this", f"{sizes}{dtype}"),
            s.pos + len(head[1]),
        )
    near = nearest_dtype(word)
    if near and s.text.startswith("[", s.pos + len(word)):
        return s.error(f"{shown(word)} is not a dtype", hint_of("write", f"{near}[4,8]"))
    return None


def _no_name(s: Scanner, word: str) -> GrammarError:
    fixed = re.sub(r"\W", "_", word)
    example = fixed if fixed.isidentifier() and len(word) < 40 else "scale"
    return s.error(
        f"{shown(word)} cannot be the name of an argument",
        hint_of("write it as Python does", f"{example}=0.5"),
    )


def _unquoted(s: Scanner, word: str) -> GrammarError:
    item = s.item(s.pos)
    near = nearest_dtype(word)
    meant = f" (or is the dtype {near} meant?)" if near else ""
    example = repr(item) if len(item) < 40 else "'sin'"
    return s.error(
        f"{shown(item)} is neither a tensor nor a literal{meant}", hint_of("quote it", example)
    )
