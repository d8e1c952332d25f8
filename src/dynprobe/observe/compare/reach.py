"""What the target's code reaches: the user's functions, and the globals, closures, classes and
memoised functions that they read by name. A guess from the bytecode that takes in too much rather
than too little: what is recorded of it is compared and not judged."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..dynamo.taps import compiled_function, compiled_original, is_module
from ..files import is_library
from .bytecode import Chain, chains
from .store import Read

MOST_FUNCTIONS = 1000
_LRU = functools._lru_cache_wrapper
_CLOCKS = {
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
             "process_time", "process_time_ns", "thread_time", "localtime", "gmtime", "ctime"},
    "datetime": {"now", "utcnow", "today"},
}  # fmt: skip
_CALLABLES = (FunctionType, MethodType, _LRU)
_METHODS = (*_CALLABLES, staticmethod, classmethod, property)
MOST_ITEMS = 64  # of a container
_LOOK = 3  # containers inside one another in which objects of the user's classes are looked for


@dataclass(slots=True)
class Reached:
    """`values` are (kind, what, value) of each place, as `store.Root` has them; `classes` the
    user's classes by name."""

    values: dict[str, tuple[str, object]] = field(default_factory=dict)
    classes: dict[str, type] = field(default_factory=dict)
    functions: dict[str, FunctionType] = field(default_factory=dict)
    caches: dict[str, Any] = field(default_factory=dict)
    reads: dict[tuple[str, str], Read] = field(default_factory=dict)


ABSENT = object()


def reach(target: object, passed: list[object]) -> Reached:
    """From what is called and the arguments it gets."""
    search = _Search()
    search.visit(target, always=True)
    for value in passed:
        search.look(value, _LOOK)
    search.finish()
    return search.found


class _Search:
    def __init__(self) -> None:
        self.found = Reached()
        self._codes: set[CodeType] = set()
        self._names: set[str] = set()
        self._ids: set[int] = set()

    def visit(self, value: Any, *, always: bool = False) -> None:
        """`always`: also where it is a library's (the target itself)."""
        cls = type(value)
        if cls is FunctionType:
            self._function(value, always)
        elif cls is MethodType:
            self.visit(value.__func__, always=always)
            self.look(value.__self__, _LOOK)
        elif cls is functools.partial:
            self.visit(value.func, always=always)
            for part in (*value.args, *value.keywords.values()):
                self.look(part, _LOOK)
        elif cls is _LRU:
            self._memoised(value)
        elif cls in (staticmethod, classmethod):
            self.visit(value.__func__)
        elif cls is property:
            self.visit(value.fget)
        elif issubclass(cls, type):
            self._class(value)
        else:
            self._object(value, always)

    def look(self, value: object, depth: int) -> None:
        """The classes of objects, in containers too."""
        items = _items(value) if depth else None
        if items is None:
            self._object(value, always=False)
        else:
            for item in islice(items, MOST_ITEMS):
                self.look(item, depth - 1)

    def finish(self) -> None:
        """Methods of the classes met whose names the code met says, until no more come."""
        while True:
            before = len(self._codes), len(self.found.classes)
            for cls in list(self.found.classes.values()):
                for name, member in list(vars(cls).items()):
                    called = name in self._names or name == "forward" or name.startswith("__")
                    if called and type(member) in _METHODS:
                        self.visit(member)
            if before == (len(self._codes), len(self.found.classes)):
                return

    def _object(self, value: object, always: bool) -> None:
        if id(value) in self._ids:
            return
        self._ids.add(id(value))
        under = compiled_original(value)
        if under is not None and under is not value:
            self.visit(under, always=always)
        if is_module(value):
            self._modules(value, always)
        elif type(value) is not ModuleType:
            self._class(type(value))
            call = _of_class(type(value), "__call__") if always else None
            if type(call) is FunctionType:
                self._function(call, always)

    def _modules(self, module: Any, always: bool) -> None:
        """Its class and those of its children; what is called first."""
        for part in sys.modules["torch"].nn.Module.modules(module):
            self._class(type(part))
        own = vars(module).get("forward") or _of_class(type(module), "forward")
        if own is not None:
            self.visit(own, always=always)

    def _class(self, cls: type) -> None:
        for base in type.__dict__["__mro__"].__get__(cls):
            if base.__module__ == "builtins" or _of_library(base):
                continue
            self.found.classes.setdefault(base.__qualname__.rpartition("<locals>.")[2], base)

    def _memoised(self, value: Any) -> None:
        inner = value.__wrapped__
        if type(inner) is FunctionType and not is_library(inner.__code__.co_filename):
            self.found.caches.setdefault(inner.__qualname__.rpartition("<locals>.")[2], value)
            self.visit(inner)

    def _function(self, function: FunctionType, always: bool) -> None:
        under = compiled_function(function) or vars(function).get("__wrapped__")
        if type(under) in _CALLABLES or is_module(under):
            self.visit(under, always=always)
        code = function.__code__
        if code in self._codes or len(self._codes) >= MOST_FUNCTIONS:
            return
        if is_library(code.co_filename) and not always:
            return
        self._codes.add(code)
        self.found.functions[function.__qualname__.rpartition("<locals>.")[2]] = function
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))
        for chain in chains(code):
            self._chain(chain, function, cells)

    def _chain(self, chain: Chain, function: FunctionType, cells: dict[str, Any]) -> None:
        for name in (chain.name, *chain.steps):
            self._read("name", name, chain, function)
            self._names.add(name)
        if chain.scope == "closure" and chain.name in cells:
            try:
                value = cells[chain.name].cell_contents
            except ValueError:
                value = ABSENT
            self._place("closure", chain.name, value, chain, function)
        elif chain.scope == "global":
            value = function.__globals__.get(chain.name, ABSENT)
            if value is ABSENT and hasattr(builtins, chain.name):
                return
            self._place("global", chain.name, value, chain, function)

    def _place(
        self, kind: str, what: str, value: Any, chain: Chain, function: FunctionType
    ) -> None:
        steps = list(chain.steps)
        while type(value) is ModuleType:
            if _is_library_module(value):
                self._clock(value, steps, chain, function)
                return
            if not steps:
                return
            name = steps.pop(0)
            value, what = vars(value).get(name, ABSENT), f"{what}.{name}"
        if type(value) is BuiltinFunctionType and _is_clock(value):
            self._read("clock", what, chain, function)
        if type(value) is _LRU:
            self._read("lru_cache", what.rpartition(".")[2], chain, function)
        is_class = issubclass(type(value), type)
        if type(value) in _CALLABLES or is_class or is_module(value):
            self.visit(value)
        elif value is not ABSENT:
            self.look(value, _LOOK)
        if is_class and _of_library(value):
            self._clock(value, steps, chain, function)
            return
        self.found.values.setdefault(f"{kind} {what}", (kind, value))

    def _clock(
        self, where: ModuleType | type, steps: list[str], chain: Chain, function: FunctionType
    ) -> None:
        module = where.__name__ if type(where) is ModuleType else where.__module__
        if steps and steps[-1] in _CLOCKS.get(module, ()):
            said = ".".join((chain.name, *chain.steps))
            self._read("clock", said, chain, function)

    def _read(self, kind: str, name: str, chain: Chain, function: FunctionType) -> None:
        code = function.__code__
        read = Read(kind, name, code.co_filename, chain.line, function.__name__)
        self.found.reads.setdefault((kind, name), read)


def _items(value: Any) -> Iterator[object] | None:
    """Of a container, with nothing of a subclass's own running."""
    cls = type(value)
    if issubclass(cls, dict):
        return iter(list(dict.values(value)))
    base = next((base for base in (list, tuple) if issubclass(cls, base)), None)
    return None if base is None else base.__iter__(value)


def _of_class(cls: type, name: str) -> Any | None:
    bases = type.__dict__["__mro__"].__get__(cls)
    return next((vars(base)[name] for base in bases if name in vars(base)), None)


def _is_clock(function: BuiltinFunctionType) -> bool:
    return function.__module__ == "time" and function.__name__ in _CLOCKS["time"]


def _of_library(cls: type) -> bool:
    """Whose class it is, by the file of its module; of a file that was loaded by its path it is
    the user's."""
    module = sys.modules.get(cls.__module__)
    return module is not None and cls.__module__ != "__main__" and _is_library_module(module)


def _is_library_module(module: ModuleType) -> bool:
    file = vars(module).get("__file__")
    return not isinstance(file, str) or is_library(file)
