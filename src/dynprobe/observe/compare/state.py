"""Snapshots of all that a call may change."""

from __future__ import annotations

import functools
import os
from types import FunctionType, MethodType
from typing import Any

from ..dynamo.taps import compiled_original
from ..dynamo.target import positional_names
from ..target.load import LoadedTarget
from ..values.make import MadeCall
from .nodes import MISSING, Node
from .reach import ABSENT, Reached, reach
from .store import Root
from .tensors import Budget
from .walk import Walker

_SETTLED = (int, float, complex, str, bytes, bool, type(None), FunctionType, type)
_OURS = ("TORCH", "TRITON", "DYNPROBE")  # variables that compilers set for themselves


class State:
    """What one call may change: its arguments, what the target is bound to, and what its code
    reaches."""

    def __init__(self, loaded: LoadedTarget, made: MadeCall) -> None:
        self._target = loaded.callable
        self._passed = _passed(loaded, made)
        self.reached = self._reach()

    def _reach(self) -> Reached:
        return reach(self._target, [value for _, value in self._passed])

    def snapshot(self, budget: Budget | None) -> tuple[list[Root], set[str]]:
        """Each place with its value now; and what was left out of it."""
        self.reached = self._reach()
        walker = Walker(budget)
        roots = [Root(kind, what, walker.node(value)) for kind, what, value in self._bound()]
        roots += [Root("argument", what, walker.node(value)) for what, value in self._passed]
        for what, (kind, value) in self.reached.values.items():
            node = MISSING if value is ABSENT else walker.node(value)
            roots.append(Root(kind, what, node))
        for name, function in self.reached.functions.items():
            roots += _of_function(name, function, walker)
        for name, cls in self.reached.classes.items():
            roots.append(Root("attribute", name, _of_class(cls, walker)))
        roots.append(Root("environment", "environment", _environment()))
        return roots, walker.cuts

    def _bound(self) -> list[tuple[str, str, object]]:
        """The objects that the target is, or is a method of."""
        found: list[tuple[str, str, object]] = []
        target = self._target
        for _ in range(16):
            under = compiled_original(target)
            if under is not None and under is not target:
                target = under
            elif type(target) is functools.partial:
                found += [("argument", f"partial[{n}]", arg) for n, arg in enumerate(target.args)]
                found += [("argument", f"partial.{k}", v) for k, v in target.keywords.items()]
                target = target.func
            elif type(target) is MethodType:
                return [*found, ("attribute", "self", target.__self__)]
            else:
                break
        settled = type(target) in _SETTLED or not callable(target)
        return found if settled else [*found, ("attribute", "self", target)]


def _passed(loaded: LoadedTarget, made: MadeCall) -> list[tuple[str, object]]:
    names = positional_names(loaded)
    names = names[1:] if loaded.kind in ("method", "module") else names
    told = [
        (names[at] if at < len(names) else f"args[{at}]", value)
        for at, value in enumerate(made.args)
    ]
    return [*told, *made.kwargs.items()]


def _of_function(name: str, function: FunctionType, walker: Walker) -> list[Root]:
    """What a function keeps from call to call: its attributes, its defaults."""
    roots = []
    for attribute, value in vars(function).items():
        if not attribute.startswith("_"):
            roots.append(Root("attribute", f"{name}.{attribute}", walker.node(value)))
    code = function.__code__
    defaults = dict(function.__kwdefaults__ or {})
    names = code.co_varnames[: code.co_argcount]
    defaults |= dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    for parameter, value in defaults.items():
        if type(value) not in _SETTLED:
            what = f"{name}.__defaults__ {parameter}"
            roots.append(Root("attribute", what, walker.node(value)))
    return roots


def _of_class(cls: type, walker: Walker) -> Node:
    node = Node("object", "class")
    for name, value in list(vars(cls).items()):
        special = name.startswith("__") and type(value) is not FunctionType
        if not special and not name.startswith("_abc_"):
            node.items.append((f".{name}", walker.node(value)))
    return node


def _environment() -> Node:
    environ: Any = os.environ
    items = [
        (f" {os.fsdecode(name)}", Node("value", "str", repr(os.fsdecode(value))))
        for name, value in dict(environ._data).items()
    ]
    return Node(
        "mapping", "environ", items=[i for i in items if not i[0].strip().startswith(_OURS)]
    )
