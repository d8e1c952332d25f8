"""The text of `--shapes` and of `--call`, read into `CallSpec`s.

call   := [ARG (, ARG)*]
ARG    := [name=]VALUE
VALUE  := TENSOR | LITERAL | @mod:obj | @file.npy | [VALUE, …] | {key: VALUE, …}
shapes := SHAPE (, SHAPE)*         each is a call with one tensor
"""

from __future__ import annotations

import re

from ..errors import GrammarError
from .dtypes import known_dtype
from .model import (
    RESERVED,
    ArgSpec,
    CallSpec,
    DictSpec,
    ListSpec,
    LiteralSpec,
    NpySpec,
    RefSpec,
    Scalar,
    ValueSpec,
)
from .numbers import number_of
from .refuse import no_shape, no_value, word_at
from .scan import Scanner, hint_of, shown
from .target import parse_target
from .tensors import read_shape, read_tensor

MAX_DEPTH = 64
"""Lists and dicts in one another. Far below Python's recursion limit, far above any real call."""

_NAME = re.compile(r"([^\W\d]\w*)\s*=")
# A reference ends at a comma or bracket that is not inside parentheses of its own.
_REFERENCE = re.compile(r"(?:\([^()]*\)|[^,\]}])*")
_CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}


def parse_shapes(text: str, dtype_default: str | None = None) -> tuple[CallSpec, ...]:
    """The calls that `--shapes` names, one tensor a call. `4x8,5x8` is two calls.

    `dtype_default` (any spelling) is the dtype of tensors that give none; where it is None they
    are left without.

    Raises:
        GrammarError: `text` is not read.
        DynprobeError: `dtype_default` is no dtype.
    """
    default = None if dtype_default is None else known_dtype(dtype_default)
    s = Scanner(text)
    calls: list[CallSpec] = []
    while not calls or _comma(s, "4x8,5x8"):
        s.blanks()
        if s.peek() in ("", ","):
            raise s.error("a shape is missing", hint_of("write sizes", "4x8,5x8"))
        tensor = read_shape(s, default)
        if tensor is None:
            raise no_shape(s, word_at(s))
        calls.append(CallSpec((ArgSpec(tensor),)))
    return tuple(calls)


def parse_call(text: str) -> CallSpec:
    """One whole call as `--call` gives it. `4x8xf32,alpha=0.5` is two arguments; an empty text is
    a call without arguments.

    Raises:
        GrammarError: `text` is not read.
    """
    s = Scanner(text)
    s.blanks()
    args: list[ArgSpec] = []
    while not s.at_end() if not args else _comma(s, "4x8xf32,0.5"):
        args.append(_argument(s, args))
    return CallSpec(tuple(args))


def _comma(s: Scanner, example: str) -> bool:
    """Whether another item follows: the place is after a comma, or at the end."""
    s.blanks()
    if s.at_end():
        return False
    if s.accept(","):
        return True
    _no_modifier(s)
    raise s.error(f"a comma comes next, not {s.found()}", hint_of("write it like this", example))


def _no_modifier(s: Scanner) -> None:
    if s.peek() == ":":
        hint = hint_of("write it like this", "4x8xf32:grad")
        raise s.error("a modifier comes right after a tensor, and only there", hint)


def _argument(s: Scanner, before: list[ArgSpec]) -> ArgSpec:
    s.blanks()
    start = s.pos
    named = s.match(_NAME)
    name = named[1] if named else None
    if name is not None and not name.isidentifier():  # \w has more characters than names do
        s.pos = start
        raise no_value(s, name)
    if name is not None and any(arg.name == name for arg in before):
        example = f"{name}=0.5" if len(name) < 40 else "scale=0.5"
        raise s.error(f"{shown(name)} is given twice", hint_of("give it once", example), start)
    arg = ArgSpec(_value(s, 0), name)
    if name is None and before and before[-1].name is not None:
        ordered = sorted([*before, arg], key=lambda one: one.name is not None)
        example = str(CallSpec(tuple(ordered)))
        raise s.error(
            f"an argument without a name comes after {shown(before[-1].name)}, which has one",
            hint_of("put it first", example if len(example) < 80 else "4x8xf32,scale=0.5"),
            start,
        )
    return arg


def _value(s: Scanner, depth: int) -> ValueSpec:
    s.blanks()
    first = s.peek()
    if first in ("", ",", "]", "}"):
        raise s.error(f"a value is missing before {s.found()}", hint_of("write one", "4x8xf32"))
    if first == "[":
        return _list(s, _deeper(s, depth))
    if first == "{":
        return _dict(s, _deeper(s, depth))
    if first == "@":
        return _reference(s)
    if first == "(":
        raise s.error("a tuple is not read", hint_of("write a list", "[4x8xf32,4x8xf32]"))
    return read_tensor(s) or _literal(s)


def _deeper(s: Scanner, depth: int) -> int:
    if depth == MAX_DEPTH:
        raise s.error(
            f"lists and dicts are nested more than {MAX_DEPTH} deep",
            hint_of("build the value in Python and name it", "@pkg.mod:obj"),
        )
    return depth + 1


def _literal(s: Scanner) -> LiteralSpec:
    if s.peek() in ("'", '"'):
        return LiteralSpec(s.quoted())
    word = word_at(s)
    value = _constant(s, word)
    if value is None and word != "None":
        raise no_value(s, word)
    s.pos += len(word)
    return LiteralSpec(value)


def _constant(s: Scanner, word: str) -> int | float | bool | None:
    return _CONSTANTS[word] if word in _CONSTANTS else number_of(s, word, s.pos)


def _list(s: Scanner, depth: int) -> ListSpec:
    s.accept("[")
    items: list[ValueSpec] = []
    while _more(s, "]", not items, "[4x8xf32,4x8xf32]"):
        items.append(_value(s, depth))
    return ListSpec(tuple(items))


def _dict(s: Scanner, depth: int) -> DictSpec:
    s.accept("{")
    items: dict[Scalar, ValueSpec] = {}
    while _more(s, "}", not items, "{mask: 4x8xb8}"):
        s.blanks()
        start = s.pos
        key = _key(s)
        s.blanks()
        if not s.accept(":"):
            raise s.error(
                f"a colon comes after a key, not {s.found()}",
                hint_of("write a key, a colon and a value", "{mask: 4x8xb8}"),
            )
        if key in items:
            hint = hint_of("give each key once", "{mask: 4x8xb8}")
            raise s.error(f"the key {shown(str(key))} is given twice", hint, start)
        items[key] = _value(s, depth)
    return DictSpec(tuple(items.items()))


def _more(s: Scanner, close: str, first: bool, example: str) -> bool:
    """Whether an item follows in the brackets that `close` ends; past `close` where none does."""
    s.blanks()
    if s.at_end():
        raise s.error(f"{close} is missing", hint_of("close the bracket", example))
    if s.peek() == close and s.accept(close):
        return False
    if first or s.accept(","):
        return True
    _no_modifier(s)
    hint = hint_of("write it like this", example)
    raise s.error(f"a comma or {close} comes next, not {s.found()}", hint)


def _key(s: Scanner) -> Scalar:
    if s.peek() in ("'", '"'):
        return s.quoted()
    word = word_at(s)
    value: Scalar = _constant(s, word)
    if value is None and word != "None":
        if not word.isidentifier() or word in RESERVED:
            what = shown(word) if word else s.found()
            raise s.error(
                f"{what} is not a key: a key is a name or a literal",
                hint_of("write it like this", "{mask: 4x8xb8}"),
            )
        value = word
    s.pos += len(word)
    return value


def _reference(s: Scanner) -> RefSpec | NpySpec:
    s.accept("@")
    start = s.pos
    quoted = s.peek() in ("'", '"')
    if quoted:
        text = s.quoted()
    else:
        found = s.match(_REFERENCE)
        text = found[0].rstrip() if found else ""
    if text.lower().endswith(".npy"):
        return NpySpec(_path(s, text, start))
    try:
        return RefSpec(str(parse_target(text)))
    except GrammarError as error:
        instruction, _, example = (error.hint or "").partition(": ")
        at = start if quoted else start + error.position
        hint = hint_of(instruction, str(RefSpec(example)))  # in quotes where it needs them
        raise s.error(error.message, hint, at) from None


def _path(s: Scanner, text: str, start: int) -> str:
    if "\0" in text:
        raise s.error("a path has no NUL character", hint_of("name a file", "@data/x.npy"), start)
    return text
