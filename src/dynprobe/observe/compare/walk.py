"""Objects → nodes. No code of the user's runs here: no `__repr__`, `__eq__`, `__iter__`,
`__getattr__`, no property."""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from ..dynamo.taps import is_module
from ..values.avals import aval_text, type_name
from .known import hook_tables, looked_into, module_keys, opaque_text
from .nodes import Node
from .tensors import Budget, array_data, tensor_data

DEPTH = 32
NODES = 200_000
ITEMS = 10_000  # of one container
SECONDS = 20.0
LONG = 4096  # characters of a text; what is longer is told by its sum

_LRU = functools._lru_cache_wrapper
_PLAIN = (bool, int, float, complex, str, bytes, bytearray, type(None), type(...))


class Walker:
    """Makes the nodes of one snapshot: an object met again is told by its number. What is over a
    bound is cut, and `cuts` says why."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._until = time.monotonic() + SECONDS
        self._met: dict[int, int] = {}
        self._kept: list[object] = []  # so that no id is given twice
        self._nodes = 0
        self.cuts: set[str] = set()

    def node(self, value: object, depth: int = 0) -> Node:
        self._nodes += 1
        cls = type(value)
        if cls in _PLAIN:
            return _plain(value, cls)
        why = self._bound(depth)
        if why:
            self.cuts.add(why)
            return Node("cut", _class_name(cls), why)
        if id(value) in self._met:
            return Node("again", _class_name(cls), number=self._met[id(value)])
        try:
            return self._looked(value, cls, depth)
        except Exception as error:  # the value fools even a careful look
            return Node("cut", _class_name(cls), f"cannot be read: {type_name(error)}")

    def _bound(self, depth: int) -> str | None:
        if depth > DEPTH:
            return f"deeper than {DEPTH}"
        if self._nodes > NODES:
            return f"more than {NODES:,} values"
        if time.monotonic() > self._until:
            return f"took longer than {SECONDS:.0f} s"
        return None

    def _looked(self, value: Any, cls: type, depth: int) -> Node:
        if (named := _named(value, cls)) is not None:
            return named
        number = self._met[id(value)] = len(self._met) + 1
        self._kept.append(value)
        node = self._made(value, cls, depth)
        node.number = number
        return node

    def _made(self, value: Any, cls: type, depth: int) -> Node:
        torch = sys.modules["torch"]
        if issubclass(cls, torch.Tensor):
            return self._tensor(value, cls, depth)
        if issubclass(cls, np.ndarray | np.generic):
            data = array_data(value, self._budget)
            return Node("tensor", _class_name(cls), data=data) if data else Node("cut", "ndarray")
        if is_module(value):
            return self._module(value, cls, depth)
        return self._container(value, cls, depth)

    def _tensor(self, value: Any, cls: type, depth: int) -> Node:
        node = Node("tensor", _class_name(cls), data=tensor_data(value, self._budget))
        own = object.__getattribute__(value, "__dict__")
        node.items = [
            (f".{name}", self.node(item, depth + 1))
            for name, item in dict.items(own)
            if not name.startswith("_")  # torch's own marks
        ]
        if value.is_leaf and value.requires_grad and value.grad is not None:
            node.items.append((".grad", self.node(value.grad, depth + 1)))
        return node

    def _module(self, value: Any, cls: type, depth: int) -> Node:
        """As the user sees it: children, parameters and buffers are attributes."""
        own: dict[str, Any] = object.__getattribute__(value, "__dict__")
        items: list[tuple[str, Node]] = []
        for table in ("_parameters", "_buffers", "_modules"):
            for name, item in dict.items(own.get(table) or {}):
                step = f"[{name}]" if name.isdigit() else f".{name}"
                items.append((step, self.node(item, depth + 1)))
        for name, item in dict.items(own):
            if name not in module_keys() or name == "training":
                items.append((f".{name}", self.node(item, depth + 1)))
        hooked = (table for table in hook_tables() if own.get(table))
        items += [(f".{table}", _hooks(own[table])) for table in hooked]
        return Node("object", _class_name(cls), items=items)

    def _container(self, value: Any, cls: type, depth: int) -> Node:
        node = Node("object", _class_name(cls))
        if issubclass(cls, dict):
            node.kind = "mapping"
            node.items = [
                (self._key(key, at), self.node(item, depth + 1))
                for at, (key, item) in enumerate(islice(dict.items(value), ITEMS))
            ]
            self._rest(node, dict.__len__(value))
        elif issubclass(cls, list | tuple | deque):
            node.kind = "sequence"
            node.items = list(self._sequence(value, cls, depth))
            self._rest(node, _length(value, cls))
        elif issubclass(cls, set | frozenset):
            return self._set(value, cls, depth)
        elif cls is functools.partial:
            parts = {"func": value.func, "args": value.args, "keywords": value.keywords}
            node.items = [(f".{name}", self.node(part, depth + 1)) for name, part in parts.items()]
            return node
        elif (text := opaque_text(value, cls)) is not None:
            return Node("value", _class_name(cls), text)
        node.items += self._attributes(value, cls, depth)
        return node

    def _key(self, key: object, at: int) -> str:
        """A key that is a value by itself; any other by its place and kind."""
        if type(key) in _PLAIN:
            return f"[{aval_text(key) if not isinstance(key, str | bytes) else repr(key)[:200]}]"
        return f"[key {at}: {aval_text(key)[:40]}]"

    def _sequence(self, value: Any, cls: type, depth: int) -> Iterator[tuple[str, Node]]:
        base = next(base for base in (list, tuple, deque) if issubclass(cls, base))
        fields = getattr(cls, "_fields", ()) if base is tuple else ()
        named = type(fields) is tuple and len(fields) == _length(value, cls)
        for at, item in enumerate(islice(base.__iter__(value), ITEMS)):
            step = f".{fields[at]}" if named else f"[{at}]"
            yield step, self.node(item, depth + 1)

    def _rest(self, node: Node, count: int) -> None:
        if count > ITEMS:
            self.cuts.add(f"more than {ITEMS:,} items")
            node.text = str(count)

    def _set(self, value: Any, cls: type, depth: int) -> Node:
        """Sorted by what the elements are: sets have no order of their own."""
        base = set if issubclass(cls, set) else frozenset
        found = [self.node(item, depth + 1) for item in islice(base.__iter__(value), ITEMS)]
        found.sort(key=lambda node: (node.type, node.text))
        return Node("set", _class_name(cls), items=[("", node) for node in found])

    def _attributes(self, value: Any, cls: type, depth: int) -> Iterator[tuple[str, Node]]:
        if looked_into(cls):
            for name, item in attributes(value, cls).items():
                if type(name) is str:
                    yield f".{name}", self.node(item, depth + 1)


def attributes(value: object, cls: type) -> dict[str, Any]:
    """What an object holds in its `__dict__` and slots."""
    try:
        own = dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        own = {}
    for base in type.__dict__["__mro__"].__get__(cls):
        for name, member in vars(base).items():
            if type(member) is MemberDescriptorType and base.__module__ != "builtins":
                try:
                    own[name] = member.__get__(value)
                except AttributeError:
                    continue
    return own


def _plain(value: Any, cls: type) -> Node:
    if cls is int and value.bit_length() > LONG:
        return Node("value", "int", f"{hex(value)[:20]}… {_sum(hex(value).encode())}")
    if cls in (str, bytes, bytearray) and len(value) > LONG:
        raw = value.encode("utf-8", "surrogatepass") if cls is str else bytes(value)
        return Node("value", cls.__name__, f"{value[:40]!r}… {len(value):,} {_sum(raw)}")
    return Node("value", cls.__name__, repr(value))


def _sum(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


def _named(value: Any, cls: type) -> Node | None:
    """What is told by its name: functions, classes, modules, members of an enum."""
    if cls is FunctionType:
        code = value.__code__
        text = f"function {value.__qualname__.rpartition('<locals>.')[2]}"
        place = f"(line {code.co_firstlineno} of {code.co_filename})"
        return Node("function", "function", f"{text} {place}")
    if cls is MethodType:
        inner = _named(value.__func__, type(value.__func__))
        return Node("function", "method", inner.text if inner else "method")
    if cls in (staticmethod, classmethod):
        return _named(value.__func__, type(value.__func__))
    if cls is property:
        return _named(value.fget, type(value.fget))
    if cls is _LRU:
        return _named(value.__wrapped__, type(value.__wrapped__))
    if cls is BuiltinFunctionType:
        return Node("function", "builtin", f"function {value.__name__}")
    if issubclass(cls, type):
        return Node("value", "type", f"class {_class_name(value)}")
    if cls is ModuleType:
        return Node("value", "module", f"module {vars(value).get('__name__', '')}")
    if cls is CellType:
        return Node("value", "cell", "cell")
    if issubclass(cls, enum.Enum):
        name = object.__getattribute__(value, "_name_")
        return Node("value", _class_name(cls), f"{type_name(value)}.{name}")
    return None


def _hooks(table: Any) -> Node:
    """Of a module's hooks what they are, in the order they run; their keys count up over the whole
    process."""
    items = [(f"[{at}]", _hook(hook)) for at, hook in enumerate(dict.values(table))]
    return Node("hooks", "hooks", items=items)


def _hook(hook: Any) -> Node:
    return _named(hook, type(hook)) or Node("value", _class_name(type(hook)), type_name(hook))


def _class_name(cls: type) -> str:
    name = str(type.__dict__["__qualname__"].__get__(cls))
    module = vars(cls).get("__module__")
    return name if module in ("builtins", None) or type(module) is not str else f"{module}.{name}"


def _length(value: Any, cls: type) -> int:
    base: Any = next(base for base in (list, tuple, deque) if issubclass(cls, base))
    return int(base.__len__(value))
