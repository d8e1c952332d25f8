"""What a guard on one value wants and what the value is, as short as a person would say it."""

from __future__ import annotations

import ast
import operator
import os
import re
from collections.abc import Callable
from itertools import islice
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from ...report import GuardKind
from ..values.avals import aval_text, type_name
from .conditions import guarded_type
from .guards import kind_of
from .process_state import device_words
from .records import LeafGuard
from .scope import Scope
from .taps import DIMENSION_MARK
from .words import Words, is_environ

_ITEMS = 4  # of a set
_LITERAL = 10_000  # characters of a literal that are read to be said shorter
_MOST = 80  # characters of what is no literal
_CODE = ".__code__"
_KEY_OF = re.compile(r"list\(dict\.keys\(.+\)\)\[\d+\]")
_SUBSET = re.compile(r"issubset\((.+?)\)")
_CALLABLE = re.compile(r"(?:builtin_)?function\w*|method\w*|code")


class Said(NamedTuple):
    """`of` is torch's own source of what the row is about."""

    source: str
    kind: GuardKind
    expected: str
    actual: str
    of: str


def say_leaf(leaf: LeafGuard, value: Any, scope: Scope, words: Words) -> Said:
    """A guard that does not hold for `value`, the value of its source."""
    code = condition_of(leaf)
    say = _BY_KIND.get(leaf.kind, _compared)
    return say(_Asked(leaf, code, value, scope, words))


def condition_of(leaf: LeafGuard) -> str:
    """The guard's text without the user's line and torch's hint."""
    return leaf.parts[0].partition("  # ")[0].partition(" (HINT: ")[0].strip()


class _Asked(NamedTuple):
    leaf: LeafGuard
    code: str
    value: Any
    scope: Scope
    words: Words

    def said(self, expected: str, actual: str, kind: GuardKind | None = None) -> Said:
        source = self.words.source(self.leaf.source)
        return Said(source, kind or _kind(self.leaf), expected, actual, self.leaf.source)


def _kind(leaf: LeafGuard) -> GuardKind:
    """A key that is reached by its place is one of the dict's keys and no value of its own."""
    return "dict_keys" if _KEY_OF.fullmatch(leaf.source) else kind_of(leaf)


def _type(asked: _Asked) -> Said:
    want, have = guarded_type(asked.leaf) or "the type it had", type_name(asked.value)
    if asked.value is None and asked.leaf.source.endswith("()"):  # a weak reference
        return asked.said(want, "gone", "lifetime")
    return asked.said(want, f"another {have}" if want == have else have)


def _identity(asked: _Asked) -> Said:
    name, mine = guarded_type(asked.leaf) or "object", type_name(asked.value)
    said = asked.said(f"the same {_noun(name)}", another(asked.value, name, mine))
    if isinstance(asked.value, CodeType):  # of a function, only its code is compared
        of = asked.leaf.source.removesuffix(_CODE)
        return said._replace(source=asked.words.source(of), of=of)
    return said


def _noun(name: str) -> str:
    return "function" if _CALLABLE.fullmatch(name) else name


def another(value: Any, wanted: str, mine: str) -> str:
    """An object that is not the one that was wanted. `wanted`, `mine`: the names of the types."""
    if isinstance(value, CodeType):
        return f"function {value.co_name}" if value.co_name != "<lambda>" else "another function"
    if issubclass(type(value), type):
        return f"class {type.__dict__['__name__'].__get__(value)}"
    said = f"a {mine}" if type(value) is ModuleType else aval_text(value)
    if said == mine:
        return f"another {mine}" if mine == wanted else f"a {mine}"
    return said


def _length(asked: _Asked) -> Said:
    want = asked.code.rpartition("== ")[2].strip() if "==" in asked.code else "0"
    source = f"len({asked.words.source(asked.leaf.source)})"
    said = asked.said(want, _count(asked.value))
    return said._replace(source=source)


def _count(value: Any) -> str:
    """As torch's guard counts: what an iterator has left is its length."""
    try:
        return str(operator.length_hint(value))
    except Exception:
        return "no length"


def _contains(asked: _Asked) -> Said:
    """`not ___dict_contains('a', L['d'])`, `set.__contains__(L['s'], 'a')`."""
    absent = asked.code.startswith("not ")
    key = _argument(asked.code.removeprefix("not "), -1 if asked.leaf.kind == "SET_CONTAINS" else 0)
    source = asked.words.source(asked.leaf.source)
    if asked.leaf.kind == "SET_CONTAINS":
        pair = (f"no {key}", f"has {key}") if absent else (f"has {key}", f"no {key}")
        return asked.said(*pair)
    said = asked.said(*(("missing", "there") if absent else ("there", "missing")))
    if asked.leaf.source.endswith(".__dict__"):
        return _of_attribute(said, key.strip("'\""))._replace(kind="attribute")
    return said._replace(source=f"{source}[{key}]", of=f"{said.of}[{key}]")


def _of_attribute(said: Said, name: str) -> Said:
    """The same of an attribute of what it is about."""
    source, of = (text.removesuffix(".__dict__") for text in (said.source, said.of))
    return said._replace(source=f"{source}.{name}", of=f"{of}.{name}")


def _argument(call: str, index: int) -> str:
    try:
        node = ast.parse(call, mode="eval").body
    except SyntaxError:  # a key whose repr is no Python: `<class 'A'>`
        inside = call.partition("(")[2].rpartition(")")[0]
        return inside.rpartition(", ")[0] if index == 0 else inside.partition(", ")[2]
    return ast.unparse(node.args[index]) if isinstance(node, ast.Call) else call


def _no_attribute(asked: _Asked) -> Said:
    name = _argument(asked.code.removeprefix("not "), 1).strip("'\"")
    return _of_attribute(asked.said("missing", "there"), name)


def _nan(asked: _Asked) -> Said:
    return asked.said("nan", aval_text(asked.value))


def _not_none(asked: _Asked) -> Said:
    """A weak reference whose object is gone, or a tensor that was there."""
    if asked.leaf.source.endswith("()"):
        return asked.said("alive", "gone", "lifetime")
    return asked.said("not None", aval_text(asked.value), "value")


def _version(asked: _Asked) -> Said:
    return asked.said("unchanged", "changed")


def _range(asked: _Asked) -> Said:
    said = _compared(asked)
    return said._replace(expected=f"range{said.expected}", actual=f"range{said.actual}")


def _marked(asked: _Asked) -> Said:
    """Dimensions that `mark_dynamic` and its like marked: one part of the text a mark."""
    for text in asked.leaf.parts:
        code = text.partition("  # ")[0].strip()
        match = DIMENSION_MARK.search(code)
        if match is not None and not asked.scope.evaluate(code):
            mark, now = match[2].replace("_", " "), getattr(asked.value, match[1], None)
            want = _SUBSET.search(code)
            wanted = _dimensions(want[1]) if want else "no dimension"
            return asked.said(
                f"{wanted} marked {mark}", f"{_dimensions(_shown(now))} marked {mark}"
            )
    return asked.said("marked as captured", "marked otherwise")


def _dimensions(text: str) -> str:
    """`{0, 1}` is "dimensions 0, 1"."""
    inside = text.strip("{}")
    return f"dimension{'s' if ',' in inside else ''} {inside}"


def _metadata(asked: _Asked) -> Said:
    """A guard by a function of torch's, whose text is only a name that torch made up."""
    if not asked.code.startswith(("___check_", "__dtensor_")):
        return _compared(asked)
    what = "metadata" if "metadata" in asked.code else "state"
    return asked.said(f"the {what} it had", f"other {what}", "tensor")


def _compared(asked: _Asked) -> Said:
    """`source == value`, or a function of the source: what stands left of the sign, now."""
    sides = _split(asked.code, asked.leaf.source)
    if sides is None:
        return asked.said(asked.words.say(asked.code), "not so")
    left, want = sides
    value = asked.value if left == asked.leaf.source else asked.scope.evaluate(left)
    if is_environ(left) and isinstance(value, bytes):
        want, value = want.removeprefix("b"), os.fsdecode(value)
    kind: GuardKind | None = "value" if kind_of(asked.leaf) == "other" else None
    return asked.said(_literal(want, asked.words), _shown(value), kind)


def _split(code: str, source: str) -> tuple[str, str] | None:
    """Both sides of the sign that compares; one within a text compares nothing."""
    for sign in (" == ", " is "):
        if code.startswith(source + sign):
            return source, code[len(source + sign) :]
    try:
        node = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):  # the value's repr is no Python
        return None
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
        return None
    left, right = (ast.get_source_segment(code, n) for n in (node.left, node.comparators[0]))
    return left or "", right or ""


def _shown(value: Any) -> str:
    """As `aval_text`; and a set by its first items, in the order of their words."""
    if type(value) not in (set, frozenset):
        return aval_text(value)
    items = sorted(aval_text(item) for item in islice(value, _ITEMS))
    more = [f"… {len(value)} items"] if len(value) > _ITEMS else []
    return f"{{{', '.join([*items, *more])}}}"


def _literal(text: str, words: Words) -> str:
    """A value that torch wrote by its repr, as `aval_text` writes values."""
    text = text.removeprefix("frozenset(").removesuffix(")") if "frozenset({" in text else text
    if device_words(text) != text and text != "None":
        return device_words(text)
    try:
        return _shown(ast.literal_eval(text)) if len(text) < _LITERAL else text[:_MOST] + "…"
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        said = words.say(text)
        return said if len(said) <= _MOST else said[: _MOST - 1] + "…"


_BY_KIND: dict[str, Callable[[_Asked], Said]] = {
    "TYPE_MATCH": _type,
    "FAKE_SCRIPT_TYPE_MATCH": _type,
    "ID_MATCH": _identity,
    "LENGTH_CHECK": _length,
    "DICT_LENGTH": _length,
    "TUPLE_ITERATOR_LEN": _length,
    "DICT_CONTAINS": _contains,
    "SET_CONTAINS": _contains,
    "NO_HASATTR": _no_attribute,
    "FLOAT_IS_NAN": _nan,
    "COMPLEX_IS_NAN": _nan,
    "NOT_NONE": _not_none,
    "DICT_VERSION": _version,
    "RANGE_ITERATOR_MATCH": _range,
    "DIMENSION_DYNAMIC_MARKING_GUARD": _marked,
    "LAMBDA_GUARD": _metadata,
}
