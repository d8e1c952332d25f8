"""Recorded values as plain data: a tree that outlives the objects and crosses to another process.

Nothing of the user's is pickled. `walk.py` makes the trees, `same.py` compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...spec.dtypes import DTYPES

Kind = Literal[
    "value", "tensor", "sequence", "mapping", "set", "object", "function", "hooks", "again", "cut",
    "missing",
]  # fmt: skip
GENERATOR = re.compile(r"(?:Random|RandomState|Generator) [0-9a-f]{16}$")
"""How the state of a random generator is told."""

_SHORT = {dtype.torch_name: dtype.short for dtype in DTYPES.values()}
_ITEMS = 4  # shown of a container
_DEPTH = 2
_WIDE = 6  # elements of a tensor that are shown
_TEXT = 80  # characters of one value


@dataclass(slots=True)
class Data:
    """A tensor's or array's. `dtype` is torch's or numpy's name without its package. `sum` is a
    checksum of all bytes ("" where there were too many to read); `values` all elements, in order,
    or None where only `sample` (elements at equal distances) was kept."""

    dtype: str
    shape: tuple[int, ...]
    device: str = "cpu"
    requires_grad: bool = False
    layout: str = "strided"
    sum: str = ""
    values: np.ndarray[Any, Any] | None = None
    sample: np.ndarray[Any, Any] | None = None

    @property
    def aval(self) -> str:
        """`f32[4] grad`."""
        words = [f"{_SHORT.get(self.dtype, self.dtype)}[{','.join(map(str, self.shape))}]"]
        words += ["grad"] if self.requires_grad else []
        words += [word for word in (self.layout, self.device) if word not in ("strided", "cpu")]
        return " ".join(words)

    @property
    def elements(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count


@dataclass(slots=True)
class Node:
    """One value. `type` is the class (`module.name`, a builtin's bare name); `text` the value of
    a plain one, exact; `items` have the step that leads to each: `[0]`, `['a']`, `.name`. `again`
    marks an object met before in the same snapshot, by its `number` there; `cut` one that was
    not looked into, with the reason in `text`."""

    kind: Kind
    type: str = ""
    text: str = ""
    items: list[tuple[str, Node]] = field(default_factory=list)
    data: Data | None = None
    number: int = 0

    @property
    def name(self) -> str:
        """The class as a person says it."""
        return self.type.rpartition(".")[2]


MISSING = Node("missing")


def below(node: Node) -> Iterator[Node]:
    """The node and all nodes under it."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack += [child for _, child in found.items]


def shown(node: Node | None, depth: int = 0) -> str:
    """As short as a person would say it: `2.0`, `'sin'`, `f32[2] [1, 2]`, `[1, 2, … 3 items]`."""
    if node is None or node.kind == "missing":
        return "absent"
    if node.data is not None:
        return _tensor(node.data) if depth == 0 else node.data.aval
    if node.kind == "function":
        return node.text.partition(" (line ")[0]
    if node.kind == "value":
        return node.text if len(node.text) <= _TEXT else f"{node.text[: _TEXT - 1]}…"
    if node.kind in ("again", "cut"):
        return node.name or "…"
    return _container(node, depth)


def _tensor(data: Data) -> str:
    if data.values is None or not 0 < data.elements <= _WIDE:
        return data.aval
    values = data.values.reshape(data.shape or (1,))
    said = [format_number(value) for value in values.ravel()]
    return f"{data.aval} [{', '.join(said)}]" if data.shape else f"{data.aval} {said[0]}"


def format_number(value: Any) -> str:
    """A number in at most six digits: `0.1`, `101`, `-1.5e-07`."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    return f"{value:.6g}" if np.isrealobj(value) else str(value)


def _container(node: Node, depth: int) -> str:
    count = len(node.items)
    if depth >= _DEPTH:
        return f"{node.name}(…)"
    said = [_item(node, step, child, depth) for step, child in node.items[:_ITEMS]]
    if count > _ITEMS:
        said.append(f"… {count} items")
    inside = ", ".join(said)
    match node.kind:
        case "sequence" if node.type == "list":
            return f"[{inside}]"
        case "sequence" if node.type == "tuple":
            return f"({inside}{',' if count == 1 else ''})"
        case "mapping" if node.type == "dict":
            return f"{{{inside}}}"
        case "set":
            return f"{{{inside}}}" if count else f"{node.name}()"
        case "hooks":
            return inside or "none"
    return f"{node.name}({inside})"


def _item(node: Node, step: str, child: Node, depth: int) -> str:
    said = shown(child, depth + 1)
    if node.kind in ("mapping",):
        return f"{step[1:-1]}: {said}"
    return f"{step[1:]}={said}" if step.startswith(".") else said
