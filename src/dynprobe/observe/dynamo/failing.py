"""Every guard of a cache entry that does not hold for the values of a call.

torch names the first; here each leaf of the guard tree is called on its own value."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from ...report import FailedGuard, GuardKind, Line
from ..values.avals import aval_text
from . import tensor_match
from .access import NOT_THERE, Lost, lost_steps
from .guards import AMBIENT, Stacks, guarded_type, kind_of, split_part
from .holders import holder_of
from .places import Places
from .process_state import state_differences
from .records import LeafGuard
from .taps import guard_scope, leaf_guards
from .words import Words

_DICT_LENGTH = re.compile(r"len\((?P<source>.+)\) != (?P<length>\d+)")


@lru_cache(maxsize=4096)
def _compiled(source: str) -> CodeType:
    """All entries of a frame speak of the same sources."""
    return compile(source, "<guard>", "eval")


class _DoesNotApplyError(Exception):
    """A guard that cannot be asked about these values: what it hangs on failed before it. Only
    asking may raise it; a fault while a row is made is a fault of ours, and is told as one."""


def _applies(ask: Callable[..., Any], *args: Any) -> bool:
    try:
        return bool(ask(*args))
    except Exception as error:
        raise _DoesNotApplyError from error


class Failing:
    """The failing guards of one entry against one frame's locals."""

    def __init__(
        self, manager: Any, f_locals: dict[str, Any], words: Words, places: Places, stacks: Stacks
    ) -> None:
        self._manager = manager
        self._locals = f_locals
        self._words = words
        self._places = places
        self._stacks = stacks
        self._scope = guard_scope(manager, f_locals)
        self._values: dict[str, Any] = {}
        self._lost: dict[str, Exception] = {}
        self._other_type: set[str] = set()

    def rows(self) -> list[FailedGuard]:
        found: list[FailedGuard] = []
        # Types first: the C++ guards of a list's length or an iterator's place trust them.
        for leaf in sorted(leaf_guards(self._manager), key=lambda leaf: leaf.kind != "TYPE_MATCH"):
            if leaf.source in self._other_type:
                continue
            try:
                rows = self._leaf(leaf)
            except _DoesNotApplyError:
                continue
            found.extend(rows)
            if rows and leaf.kind == "TYPE_MATCH":
                self._other_type.add(leaf.source)
        return _distinct(found)

    def ambient_rows(self) -> list[FailedGuard]:
        """Only guards of the process's state (grad mode, autocast, …): they need no locals."""
        rows: list[FailedGuard] = []
        for leaf in leaf_guards(self._manager):
            if leaf.source == "L" and leaf.kind in AMBIENT:
                rows.extend(self._leaf(leaf))
        return _distinct(rows)

    def steps(self, *, only_plain: bool) -> list[FailedGuard]:
        """Keys, items and attributes that guards hang on and that are not there; after `rows`."""
        lost = lost_steps(self._lost, self._other_type, only_plain=only_plain)
        return [self._step(step) for step in lost]

    def _step(self, step: Lost) -> FailedGuard:
        stack = next((s for name, s in self._stacks.items() if name.startswith(step.source)), ())
        source, expected, actual = self._words.source(step.source), "there", "missing"
        kind = step.kind
        if step.source.endswith(".__code__"):
            holder = step.source.removesuffix(".__code__")
            source, kind, expected = self._words.source(holder), "type", "a function"
            actual = type(self._value(holder)).__name__
        return FailedGuard(
            source=source, kind=kind, expected=expected, actual=actual, text=step.source,
            root=self._words.root(step.source), holder=holder_of(step.source, self._value),
            **place_fields(stack[-1] if stack else None, stack, self._places),
        )  # fmt: skip

    def length_of_dict(self, says: str) -> list[FailedGuard]:
        """A dict that is iterated over has its length held by the guard tree itself, by no leaf:
        only torch's text (`len(L['d']) != 2`) tells it."""
        match = _DICT_LENGTH.fullmatch(says)
        if match is None:
            return []
        source = match["source"]
        stack = self._stacks.get(source, ())
        return [
            FailedGuard(
                source=f"len({self._words.source(source)})",
                kind="length",
                expected=match["length"],
                actual=str(len(self._value(source))),
                text=says,
                root=self._words.root(source),
                holder=holder_of(source, self._value),
                type=self._type(source),
                **place_fields(stack[-1] if stack else None, stack, self._places),
            )
        ]

    def _leaf(self, leaf: LeafGuard) -> list[FailedGuard]:
        if leaf.source == "L" and leaf.kind in ("LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD"):
            return [row for text in leaf.parts for row in self._expression(leaf, text)]
        if not callable(leaf.leaf):
            return self._relation(leaf)
        value = self._value(leaf.source)
        if _applies(leaf.leaf, value):
            return []
        if leaf.kind == "TENSOR_MATCH":
            return self._tensor(leaf, value)
        if leaf.kind == "GLOBAL_STATE":
            return self._state(leaf)
        source, kind = self._words.source(leaf.source), kind_of(leaf)
        expected, actual = self._expected_actual(leaf, value)
        if kind == "length":
            source = f"len({source})"
        return [self._row(leaf, source, kind, expected, actual)]

    def _value(self, source: str) -> Any:
        try:
            return self._read(source)
        except Exception as error:
            if isinstance(error, NOT_THERE):
                self._lost[source] = error
            raise _DoesNotApplyError from error

    def _read(self, source: str) -> Any:
        if source == "L":
            return self._locals
        if source not in self._values:
            self._values[source] = eval(_compiled(source), self._scope)
        return self._values[source]

    def _row(
        self, leaf: LeafGuard, source: str, kind: GuardKind, expected: str, actual: str,
        text: str | None = None,
    ) -> FailedGuard:  # fmt: skip
        text = text or leaf.parts[0]
        stack = self._stacks.get(leaf.source, ())
        where = stack[-1] if stack else split_part(text, self._places).where
        ambient = leaf.kind in AMBIENT
        return FailedGuard(
            source=source, kind=kind, expected=expected, actual=actual, text=text,
            root="process" if ambient else self._words.root(leaf.source),
            holder=holder_of(leaf.source, self._value), type=self._type(leaf.source),
            **place_fields(where, stack, self._places),
        )  # fmt: skip

    def _type(self, source: str) -> str | None:
        """The class of the value now."""
        if source == "L":
            return None
        try:
            return type(self._value(source)).__name__
        except _DoesNotApplyError:
            return None

    def _tensor(self, leaf: LeafGuard, value: Any) -> list[FailedGuard]:
        source = self._words.source(leaf.source)
        wanted = tensor_match.parse(leaf.parts[0])
        if wanted is None:
            return [self._row(leaf, source, "tensor", "as captured", aval_text(value))]
        return [
            self._row(leaf, source + d.suffix, d.kind, d.expected, d.actual)
            for d in tensor_match.differences(wanted, value)
        ]

    def _state(self, leaf: LeafGuard) -> list[FailedGuard]:
        return [self._row(leaf, *difference) for difference in state_differences(leaf.parts[0])]

    def _relation(self, leaf: LeafGuard) -> list[FailedGuard]:
        code = split_part(leaf.parts[0], self._places).code
        if code.startswith("check_no_aliasing("):
            inside = code.removeprefix("check_no_aliasing(").removesuffix(")")
            names = _split_sources(inside)
            for i, first in enumerate(names):
                for second in names[:i]:
                    if self._value(first) is self._value(second):
                        a, b = self._words.source(second), self._words.source(first)
                        row = self._row(leaf, b, "aliasing", "another tensor", f"the same as {a}")
                        return [row]
            return []
        return self._expression(leaf, leaf.parts[0])

    def _expression(self, leaf: LeafGuard, text: str) -> list[FailedGuard]:
        """A condition over the whole frame, evaluated as it is written."""
        code = split_part(text, self._places).code
        if code.endswith("ids == None") or _applies(eval, code, self._scope):
            return []
        source, expected, actual = self._compare(code)
        kind: GuardKind = "aliasing" if " is " in code else kind_of(leaf)
        if kind == "symbolic" and ".size()" in code and ".shape[" in source:
            kind = "size"
        return [self._row(leaf, source, kind, expected, actual, text)]

    def _compare(self, code: str) -> tuple[str, str, str]:
        """`2 <= x.size()[0]` as (source, expected, actual)."""
        tree = ast.parse(code, mode="eval").body
        if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1):
            return self._words.say(code), "true", "false"
        left, right, op = tree.left, tree.comparators[0], type(tree.ops[0]).__name__
        if isinstance(left, ast.Constant):
            left, right, op = right, left, _FLIP.get(op, op)
        value = eval(ast.unparse(left), self._scope)
        want = self._words.say(ast.unparse(right))
        if not isinstance(right, ast.Constant):
            want += f" (= {aval_text(eval(ast.unparse(right), self._scope))})"
        sign = _SIGNS.get(op, "")
        return self._words.say(ast.unparse(left)), f"{sign}{want}", aval_text(value)

    def _expected_actual(self, leaf: LeafGuard, value: Any) -> tuple[str, str]:
        code = split_part(leaf.parts[0], self._places).code
        said = self._words.say(code)
        if leaf.kind == "TYPE_MATCH":
            return guarded_type(code) or "the type it had", type(value).__name__
        if leaf.kind == "ID_MATCH":
            name = guarded_type(code) or "object"
            mine = type(value).__name__
            return f"the same {name}", f"another {mine}" if mine == name else f"a {mine}"
        if kind_of(leaf) == "length":
            want = said.rpartition("== ")[2].strip() if "==" in said else "0"
            return want, str(len(value)) if hasattr(value, "__len__") else "no length"
        for sign in (" == ", " is "):
            if sign in said:
                return said.rpartition(sign)[2].strip(), aval_text(value)
        return said, "not so"


_FLIP = {"LtE": "GtE", "GtE": "LtE", "Lt": "Gt", "Gt": "Lt"}
_SIGNS = {"LtE": "≤ ", "GtE": "≥ ", "Lt": "< ", "Gt": "> ", "NotEq": "not ", "Is": "the same as "}


def place_fields(where: Line | None, stack: tuple[Line, ...], places: Places) -> Mapping[str, Any]:
    """file, line, function, code, near and stack of a row."""
    if where is None:
        return {}
    near = None if places.is_user(where.file) else places.nearest_user(stack)
    return {
        "file": where.file, "line": where.line, "function": where.function, "code": where.text,
        "near": near, "stack": stack,
    }  # fmt: skip


def _split_sources(text: str) -> list[str]:
    tree = ast.parse(f"({text},)", mode="eval").body
    return [ast.unparse(e) for e in tree.elts] if isinstance(tree, ast.Tuple) else []


def _distinct(rows: list[FailedGuard]) -> list[FailedGuard]:
    """One row a fact: a dict and its `__dict__` are guarded twice for the same reason."""
    seen: dict[tuple[str, str, str], FailedGuard] = {}
    for row in rows:
        seen.setdefault((row.source, row.kind, row.expected), row)
    return list(seen.values())
