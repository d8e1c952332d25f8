"""What is known of classes that are not the user's: which are looked into, and how the others are
told."""

from __future__ import annotations

import hashlib
import itertools
import operator
import pathlib
import random
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

# Of Python's own classes those that hold what a user put there.
_HOLDERS = {
    ("types", "SimpleNamespace"), ("argparse", "Namespace"), ("_thread", "_local"),
    ("collections", "defaultdict"), ("collections", "OrderedDict"), ("collections", "Counter"),
    ("collections", "deque"), ("collections", "ChainMap"), ("collections", "UserDict"),
    ("collections", "UserList"),
}  # fmt: skip
_EMPTY: tuple[Iterable[object], ...] = (range(0), [], (), "")
_ITERATORS = tuple(type(iter(of)) for of in _EMPTY)
# Rooms of torch whose objects hold a user's state.
_OF_TORCH = ("torch.nn.", "torch.optim.", "torch.distributions.", "torch.ao.")


def looked_into(cls: type) -> bool:
    """Whether the attributes of an object of `cls` are the user's, or a library's for the user:
    not those of Python's and torch's own machinery (locks, files, loggers, guards)."""
    module = str(cls.__module__)
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names and top not in ("__main__", "builtins"):
        return (module, cls.__name__) in _HOLDERS
    if top == "torch":
        return module.startswith(_OF_TORCH)
    return top != "numpy"


def opaque_text(value: Any, cls: type) -> str | None:
    """The state of an object that is not looked into, where it has one that can be told; of a
    random generator as `nodes.GENERATOR` has it."""
    if cls is random.Random:
        return f"Random {_sum(repr(value.getstate()))}"
    if cls is itertools.count:
        return repr(value) if type(value.__reduce__()[1][0]) is int else ""
    if cls in _ITERATORS:
        return f"{operator.length_hint(value)} items left"
    if cls in (pathlib.PosixPath, pathlib.PurePosixPath):
        return repr(value)
    torch = sys.modules["torch"]
    if cls is torch.Generator:
        return f"Generator {_sum(value.get_state().numpy().tobytes())}"
    if cls in (torch.dtype, torch.device, torch.layout, torch.memory_format):
        return str(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and cls in (numpy.random.Generator, numpy.random.RandomState):
        return f"{cls.__name__} {_sum(repr(_numpy_state(value)))}"
    if not looked_into(cls):
        return ""
    return None


def _numpy_state(value: Any) -> Any:
    state = getattr(value, "bit_generator", None)
    if state is not None:
        return state.state
    return [part.tolist() if hasattr(part, "tolist") else part for part in value.get_state()]


def _sum(state: str | bytes) -> str:
    raw = state.encode() if isinstance(state, str) else state
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


@cache
def module_keys() -> frozenset[str]:
    """What every `nn.Module` has in its `__dict__`."""
    return frozenset(vars(sys.modules["torch"].nn.Module()))


@cache
def hook_tables() -> tuple[str, ...]:
    """Those of them that hold hooks."""
    return tuple(
        name for name in sorted(module_keys()) if name.endswith("_hooks") and "dict" not in name
    )
