"""The text that names a Python object: `pkg.mod:attr.path` or `path/file.py:attr.path`.

Read without importing anything: whether the object exists is for `observe` to find out.
"""

from __future__ import annotations

import re

from ..errors import GrammarError
from .model import TargetSpec
from .scan import hint_of, shown

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_DOTTED = re.compile(r"(\w+(?:\.\w+)*?)\.(\w+(?:\(\)[.\w()]*)?)")
_WORD = re.compile(r"\w+")
_CALL = re.compile(r"\(\s*\)")
_PLAIN = re.compile(r"[\w.\-/\\ ]+")
_EXAMPLE = "pkg.mod:fn"


def parse_target(text: str) -> TargetSpec:
    """The module or file before the last colon, and the steps after it, as plain data.

    Steps are attribute names and empty calls: `pkg.nets:Net().encode`.

    Raises:
        GrammarError: `text` is not read.
    """
    lead = len(text) - len(text.lstrip())
    bare = text.strip()
    nul = text.find("\0")
    if nul >= 0:
        raise _error(text, nul, "a target has no NUL character", "name a function", _EXAMPLE)
    colon = _last_colon(bare)
    if colon is None:
        raise _no_colon(text, bare, lead)
    head, tail = bare[:colon], bare[colon + 1 :]
    is_file = _check_head(text, head, tail, lead)
    steps = _steps(text, lead + colon + 1, lead + len(bare))
    return TargetSpec(bare, None if is_file else head, head if is_file else None, steps)


def _error(text: str, position: int, message: str, instruction: str, example: str) -> GrammarError:
    return GrammarError(message, text=text, position=position, hint=hint_of(instruction, example))


def _last_colon(bare: str) -> int | None:
    """Offset of the last colon outside parentheses, but for that of a drive letter."""
    depth = 0
    for at in range(len(bare) - 1, -1, -1):
        if bare[at] == ")":
            depth += 1
        elif bare[at] == "(":
            depth = max(depth - 1, 0)
        elif bare[at] == ":" and depth == 0:
            return None if at == 1 and _DRIVE.match(bare) else at
    return None


def _no_colon(text: str, bare: str, lead: int) -> GrammarError:
    end = lead + len(bare)
    if not bare:
        return _error(text, end, "no target is given", "name a module and a function", _EXAMPLE)
    if bare.lower().endswith(".py"):
        example = f"{bare}:fn" if _readable(f"{bare}:fn") else "path/to/file.py:fn"
        message = f"{shown(bare)} names a file, and no function in it"
        return _error(text, end, message, "add a colon and the function", example)
    dotted = _DOTTED.fullmatch(bare)
    if dotted and _readable(f"{dotted[1]}:{dotted[2]}"):
        message = f"{shown(bare)} has no colon between the module and the function"
        example = f"{dotted[1]}:{dotted[2]}"
        return _error(text, lead + dotted.start(2) - 1, message, "write", example)
    message = f"{shown(bare)} has no colon, so it names no function in a module or file"
    return _error(text, end, message, "write the module, a colon and the function", _EXAMPLE)


def _readable(text: str) -> bool:
    """Whether `text` can stand in a hint: short, printable, and itself a target."""
    if len(text) > 80 or not text.isprintable():
        return False
    try:
        parse_target(text)
    except GrammarError:
        return False
    return True


def _check_head(text: str, head: str, tail: str, lead: int) -> bool:
    """Whether the part before the colon is a file; raises where it is no module either."""
    if head.lower().endswith(".py"):
        return True
    if not head:
        raise _error(text, lead, "no module or file is named", "write it first", _EXAMPLE)
    better = _better_head(head, tail)
    if ":" in head:
        at = lead + head.index(":")
        raise _error(text, at, "there is more than one colon", "write one", better)
    if head.lower().endswith(".ipynb"):
        message = "a notebook is not read"
        raise _error(text, lead, message, "save its code as a file", "path/to/file.py:fn")
    if "/" in head or "\\" in head:
        message = f"{shown(head)} is not a Python file: its name does not end in .py"
        raise _error(text, lead, message, "name a .py file", better)
    at = lead
    for part in head.split("."):
        if not part.isidentifier():
            message = f"{shown(head)} is neither a module's dotted name nor a .py file"
            raise _error(text, at, message, "write a module or a file", better)
        at += len(part) + 1
    return False


def _better_head(head: str, tail: str) -> str:
    """What was probably meant by a module that is none, or a general example."""
    if ":" in head:
        first, _, rest = head.partition(":")
        tries = [f"{first}:{'.'.join(part for part in (*rest.split(':'), tail) if part)}"]
    elif "/" in head or "\\" in head:
        tries = [f"{head}.py:{tail}"]
    else:
        tries = [f"{head.replace('.', '/')}.py:{tail}"] if "-" in head else []
    tries = [one for one in tries if _PLAIN.fullmatch(one.replace(":", "", 1))]
    return next((one for one in tries if _readable(one)), "path/to/file.py:fn")


def _steps(text: str, at: int, end: int) -> tuple[str, ...]:
    steps: list[str] = []
    at = _name(text, at, end, steps)
    while at < end:
        if text[at] == "(":
            at = _empty_call(text, at, end, steps)
        elif text[at] == ".":
            at = _name(text, at + 1, end, steps)
        else:
            message = f"a dot or () comes next, not {text[at]!r}"
            raise _error(text, at, message, "name attributes with dots", "pkg.nets:Net().encode")
    return tuple(steps)


def _name(text: str, at: int, end: int, steps: list[str]) -> int:
    found = _WORD.match(text, at, end)
    if found and found[0].isidentifier():
        steps.append(found[0])
        return found.end()
    if at >= end:
        raise _error(text, at, "the name at the end is missing", "name a function", _EXAMPLE)
    what = shown(found[0]) if found else repr(text[at])
    raise _error(text, at, f"a name comes here, and this is {what}", "name a function", _EXAMPLE)


def _empty_call(text: str, at: int, end: int, steps: list[str]) -> int:
    found = _CALL.match(text, at, end)
    if found:
        steps.append("()")
        return found.end()
    if ")" not in text[at:end]:
        raise _error(text, end, "a ) is missing", "close the call", "pkg.nets:Net()")
    raise _error(
        text,
        at + 1,
        "a call with arguments is not read here",
        "write a zero-argument factory in a module and name it",
        "pkg.nets:make_net()",
    )
