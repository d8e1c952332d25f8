"""Guards over more than one value: conditions over the whole frame, and which inputs are the same
object or share memory."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...report import GuardKind
from ..values.avals import aval_text
from .records import LeafGuard
from .said import Said
from .scope import NotReachedError, Scope, holds
from .taps import overlapping
from .words import Words

_FLIP = {"LtE": "GtE", "GtE": "LtE", "Lt": "Gt", "Gt": "Lt"}
_SIGNS = {"LtE": "≤ ", "GtE": "≥ ", "Lt": "< ", "Gt": "> ", "NotEq": "not "}
_SOURCE = re.compile(r"[LG]\['[^']+'\](?:\[[^\]]+\]|\.\w+)*")
_PROPERTY = re.compile(r"\.(?:size|stride|storage_offset)$")
_ALIASING, _OVERLAPPING = "check_no_aliasing(", "check_overlapping("


def say_relation(leaf: LeafGuard, text: str, scope: Scope, words: Words) -> list[Said]:
    """Of one condition of a guard: what does not hold, nothing where it holds. Raises
    NotReachedError where it cannot be asked."""
    code = text.partition("  # ")[0].strip()
    if code.startswith(_ALIASING):
        return list(_same_tensors(code, scope, words))
    if code.startswith(_OVERLAPPING):
        return _shared_memory(code, scope, words)
    if holds(scope.evaluate, code):
        return []
    return [_condition(code, scope, words)]


def _same_tensors(code: str, scope: Scope, words: Words) -> Iterator[Said]:
    """Each tensor that was met before under another name."""
    import torch

    met: dict[int, str] = {}
    for source in _sources(code.removeprefix(_ALIASING).removesuffix(")")):
        try:
            value = scope.value(source)
        except NotReachedError:
            continue
        if not issubclass(type(value), torch.Tensor):
            continue
        other = met.setdefault(id(value), source)
        if other != source:
            said, same = words.source(source), words.source(other)
            yield Said(said, "aliasing", "another tensor", f"the same as {same}", source)


def _shared_memory(code: str, scope: Scope, words: Words) -> list[Said]:
    """torch's own comparison of memory, on the tensors in the order of the guard."""
    lists = ast.parse(code, mode="eval").body
    assert isinstance(lists, ast.Call)
    want, apart = ([ast.unparse(e) for e in k.value.elts] for k in lists.keywords
                   if isinstance(k.value, ast.List))  # fmt: skip
    sources = [*want, *apart]
    share = holds_set(sources, scope)
    yes, no = "shares memory with another input", "shares memory with none"
    return [
        Said(
            words.source(source), "aliasing", *((yes, no) if source in want else (no, yes)), source
        )
        for index, source in enumerate(sources)
        if (source in want) != (index in share)
    ]


def holds_set(sources: list[str], scope: Scope) -> set[int]:
    """Which of them share memory. Raises NotReachedError where that cannot be asked."""
    values = [scope.value(source) for source in sources]
    try:
        return overlapping(values)
    except Exception as error:
        raise NotReachedError from error


def _sources(text: str) -> list[str]:
    tree = ast.parse(f"({text},)", mode="eval").body
    return [ast.unparse(e) for e in tree.elts] if isinstance(tree, ast.Tuple) else []


def _condition(code: str, scope: Scope, words: Words) -> Said:
    """`2 <= L['x'].size()[0]`, `L['y'] is L['x']`, `L['x'].size()[0] % 8 == 0`."""
    tree = ast.parse(code, mode="eval").body
    of = _first_source(code)
    if isinstance(tree, ast.Compare) and len(tree.ops) == 2:
        return _between(tree, scope, words, of)
    if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1):
        return Said(words.say(code), "symbolic", "true", "false", of)
    left, right, op = tree.left, tree.comparators[0], type(tree.ops[0]).__name__
    if isinstance(left, ast.Constant):
        left, right, op = right, left, _FLIP.get(op, op)
    source, other = words.say(ast.unparse(left)), words.say(ast.unparse(right))
    of = _first_source(ast.unparse(left)) or of
    if op == "Is":
        return Said(source, "aliasing", f"the same as {other}", "another object", of)
    value = scope.evaluate(ast.unparse(left))
    if not isinstance(right, ast.Constant):
        other += f" (= {aval_text(scope.evaluate(ast.unparse(right)))})"
    return Said(source, _kind(left), _SIGNS.get(op, "") + other, aval_text(value), of)


def _between(tree: ast.Compare, scope: Scope, words: Words, of: str) -> Said:
    """`2 <= L['x'].size()[0] <= 9`."""
    middle = tree.comparators[0]
    low, high = words.say(ast.unparse(tree.left)), words.say(ast.unparse(tree.comparators[1]))
    first, second = (type(op).__name__ for op in tree.ops)
    said = f"{_SIGNS.get(_FLIP.get(first, ''), '')}{low}, {_SIGNS.get(second, '')}{high}"
    if (first, second) == ("LtE", "LtE"):
        said = f"{low} to {high}"
    code = ast.unparse(middle)
    return Said(words.say(code), _kind(middle), said, aval_text(scope.evaluate(code)), of)


def say_raised(text: str, scope: Scope, words: Words) -> Said | None:
    """Of a condition that raises, which to torch is that it fails: the first value that has not
    what the condition asks of it."""
    nodes = ast.walk(ast.parse(text.partition("  # ")[0].strip(), mode="eval"))
    steps = [node for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)]
    for step in reversed(steps):  # the innermost first
        try:
            scope.evaluate(ast.unparse(step))
        except Exception:
            of = ast.unparse(step.value)
            want = f"with {ast.unparse(step)[len(of) :]}"
            return Said(words.source(of), "type", want, aval_text(scope.evaluate(of)), of)
    return None


def _kind(node: ast.expr) -> GuardKind:
    """Of what is compared: a size, a stride, a plain value, or a formula of several."""
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="size"))):
            return "size"
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="stride"))):
            return "stride"
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return "value" if isinstance(node, ast.Name) else "symbolic"


def _first_source(code: str) -> str:
    """The first source a condition speaks of; of a size, the tensor."""
    found = _SOURCE.search(code)
    return _PROPERTY.sub("", found[0]) if found else "L"


def is_relation(leaf: LeafGuard) -> bool:
    """Whether a guard is asked by its text: it hangs on no single value."""
    return leaf.source == "L" or not callable(leaf.leaf)
