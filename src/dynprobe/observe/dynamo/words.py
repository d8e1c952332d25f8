"""Guard sources in the user's words: `L['self']._modules['proj']` is `self.proj`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType

from ...report import Root
from .places import resumed_line

_CONTAINER = re.compile(r"(?:\._modules|\._parameters|\._buffers)\['([^']+)'\]")
_TABLE = re.compile(r"\.__dict__\['_(modules|parameters|buffers)'\]")
_IN_DICT = re.compile(r"\.__dict__\['([^']+)'\]")
_ITEM_OF_INIT = re.compile(r"\bL\['([^']+)'\]")
_GLOBAL = re.compile(r"\bG\['([^']+)'\]")
_OF_CLASS = re.compile(r"\bdict\((type\([^()]*\))(?:\.__mro__\[\d+\])?\.__dict__\)\['([^']+)'\]")
_IMPORT = re.compile(r"\b__import_([A-Za-z0-9_]+)")
_BUILTIN = re.compile(r"\b(?:G\[')?__builtins_dict___\d+(?:'\])?\['([^']+)'\]")
_SIZE = re.compile(r"\.size\(\)\[(\d+)\]")
_ENVIRON = re.compile(
    r"(?:\bG\['\w+'\]\.environ|\bG\['environ'\])\._data\[b(?P<name>'[^']*'|\"[^\"]*\")\]"
)
_STACK = re.compile(r"\b___stack(\d+)\b")
_CELL = re.compile(r"(?P<of>[LG]\[.+?)\.__closure__\[(?P<index>\d+)\]\.cell_contents")
_KEY = re.compile(r"\blist\(dict\.keys\((.+?)\)\)\[")
_START = re.compile(r"\b[LG]\[")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Words:
    """How the sources of one frame are said. Its `**kwargs` parameter vanishes (the user passed
    `input_ids`, not `kwargs['input_ids']`); where it is a decorator's wrapper, its `args[0]` has
    the name of `positional`, the parameters of what it wraps. Its free variables are closures.
    `inlines` is the name of the target where the frame is torch's own wrapper of it."""

    def __init__(
        self, code: CodeType, positional: Sequence[str] = (), inlines: str | None = None
    ) -> None:
        self._inlines = inlines
        self._varargs = _varargs_name(code)
        self._positional = positional[code.co_argcount :] if positional else ()
        self._free = set(code.co_freevars)
        self._kwargs = _kwargs_name(code)
        self._resumed = resumed_line(code)
        self._cells: dict[str, str] = {}

    def name_cell(self, source: str, name: str) -> None:
        """The variable that a function's cell holds. Where two functions that the frame is given
        name it differently, it keeps its number."""
        if self._cells.setdefault(source, name) != name:
            self._cells[source] = ""

    def say(self, text: str) -> str:
        """An expression over L and G, said as the user would write it."""
        if "environ" in text:
            text = _ENVIRON.sub(r"os.environ[\g<name>]", text)
        if "__builtins_dict__" in text:
            text = _BUILTIN.sub(r"\1", text)
        if self._inlines is not None:
            text = text.replace("L['fn']", self._inlines)
        if self._kwargs is not None:
            text = re.sub(rf"\bL\['{self._kwargs}'\]\['(\w+)'\]", r"\1", text)
        if self._varargs is not None and self._positional:
            text = re.sub(rf"\bL\['{self._varargs}'\]\[(\d+)\]", self._named, text)
        if ".__closure__[" in text:
            text = _CELL.sub(self._cell, text)
        for mark, pattern, said in _RULES:
            if mark in text:
                text = pattern.sub(said, text)
        return _STACK.sub(self._kept, text).replace("___from_numpy(", "from_numpy(")

    def source(self, text: str) -> str:
        """A single source: as `say`, and where it is not an argument it says what it is."""
        said = self.say(text).strip()
        if said == "L":
            return ""
        if text.startswith("G[") and not _library_global(text) and not is_environ(text):
            return f"global {said}"
        root = _NAME.match(said)
        if root and root[0] in self._free and self._inlines is None:
            return f"closure {said}"
        return said

    def root(self, text: str) -> Root:
        """Where a single source starts. `text` is torch's own."""
        if text == "L" or text.startswith("___get_torch_function_mode_stack_at("):
            return "process"
        start = _START.search(text)  # `list(dict.keys(L['d']))[0]` starts at L['d']
        if start is None:
            return "library" if text.startswith("__import__(") else "other"
        if start[0] == "G[":
            return "library" if _library_global(text) else "global"
        name = _ITEM_OF_INIT.search(text)
        if name is None:
            return "other"
        if _STACK.fullmatch(name[1]):
            return "kept"
        return "closure" if name[1] in self._free and self._inlines is None else "argument"

    def _cell(self, match: re.Match[str]) -> str:
        name = self._cells.get(match[0]) or match["index"]
        return f"{match['of']} closure {name}"

    def _named(self, match: re.Match[str]) -> str:
        index = int(match[1])
        return self._positional[index] if index < len(self._positional) else match[0]

    def _kept(self, match: re.Match[str]) -> str:
        at = f" at line {self._resumed}" if self._resumed else ""
        return f"(value {match[1]} kept over the break{at})"


def _attribute(match: re.Match[str]) -> str:
    name = match[1]
    return f"[{name}]" if name.isdigit() else f".{name}"


# In this order; a pattern is tried only where its mark is in the text.
_RULES: tuple[tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    ("L['", _ITEM_OF_INIT, r"\1"),
    ("G['", _GLOBAL, r"\1"),
    ("__import_", _IMPORT, lambda m: m[1].replace("_dot_", ".")),
    ("dict(type(", _OF_CLASS, r"\1.\2"),
    (".__dict__['_", _TABLE, r"._\1"),  # a module that sets its own attributes
    ("._", _CONTAINER, _attribute),
    (".__dict__[", _IN_DICT, _attribute),
    ("list(dict.keys(", _KEY, r"list(\1)["),
    (".size()[", _SIZE, r".shape[\1]"),
)


def _varargs_name(code: CodeType) -> str | None:
    if not code.co_flags & CO_VARARGS:
        return None
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount]


def _kwargs_name(code: CodeType) -> str | None:
    if not code.co_flags & CO_VARKEYWORDS:
        return None
    index = code.co_argcount + code.co_kwonlyargcount
    index += 1 if code.co_flags & CO_VARARGS else 0
    return code.co_varnames[index]


def _library_global(text: str) -> bool:
    return "__import_" in text or "__builtins_dict__" in text


def is_library_source(text: str) -> bool:
    """A source that hangs on a module Dynamo imported for itself, or on Python's builtins."""
    return text.startswith("G[") and _library_global(text)


def is_environ(source: str) -> bool:
    """A variable of the environment: `os.environ` keeps bytes in a dict of its own."""
    return "environ" in source and _ENVIRON.fullmatch(source) is not None
