"""The state of the process that guards hold to, as far as no public name of torch tells it."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Sequence
from typing import Any

from .read import dynamo_module

DIMENSION_MARK = re.compile(r"'(_dynamo_(\w+?)(?:_indices)?)'")
"""The attribute of a tensor that a guard's text asks about, and the mark it stands for."""

_MODES = "___check_torch_function_mode_stack"
_MARKING = ("_has_dynamo_dim_marking", "_dynamo_")


def wanted_function_modes(manager: Any) -> list[type] | None:
    """The classes of the torch function modes that an entry was captured under, outermost first;
    None where they cannot be read. The guard's own text has none of them: they are in a closure
    that torch makes for a check it does not use."""
    check = (getattr(manager, "closure_vars", None) or {}).get(_MODES)
    names = getattr(getattr(check, "__code__", None), "co_freevars", ())
    cells = getattr(check, "__closure__", None) or ()
    found = dict(zip(names, cells, strict=False)).get("types")
    return list(found.cell_contents) if found is not None else None


def function_modes() -> list[Any]:
    """The torch function modes that are active now, outermost first."""
    overrides = importlib.import_module("torch.overrides")
    return list(overrides._get_current_function_mode_stack())


def is_device_mode(mode: type) -> bool:
    """Whether a torch function mode is the one that holds the default device."""
    return mode is importlib.import_module("torch.utils._device").DeviceContext


def default_device() -> Any:
    """The default device of this moment; None where none was set."""
    return importlib.import_module("torch.utils._device").CURRENT_DEVICE


def functorch_levels() -> list[str]:
    """The function transforms under way (`vmap`, `grad`), outermost first."""
    with contextlib.suppress(Exception):
        stack = importlib.import_module("torch._C")._functorch.get_interpreter_stack()
        return [str(level.key()).rpartition(".")[2].lower() for level in stack or ()]
    return []


def forward_ad_level() -> int:
    """The level of forward-mode differentiation; -1 outside it."""
    return int(importlib.import_module("torch.autograd.forward_ad")._current_level)


def overlapping(tensors: Sequence[Any]) -> set[int]:
    """Indices of those tensors that share memory with another of them. All must be of one storage
    kind that torch can compare; else torch raises."""
    guards = importlib.import_module("torch._C._dynamo.guards")
    return set(guards.compute_overlapping_tensors(list(tensors), symbolic=False))


def says_marking(says: str) -> bool:
    """Whether torch's text of a failed guard is about a tensor's marked dimensions."""
    return says.startswith(_MARKING)


def guard_sources(manager: Any) -> list[str]:
    """The sources of an entry's guard tree, each once; cheaper than its guards."""
    root = getattr(manager, "root", None)
    found: dict[str, None] = {}
    stack = list(root.get_child_managers()) if root is not None else []
    while stack:
        node = stack.pop()
        found[str(node.get_source())] = None
        stack.extend(node.get_child_managers())
        pairs = node.get_key_value_managers() if hasattr(node, "get_key_value_managers") else {}
        for pair in pairs.values():
            stack.extend(manager for manager in pair if manager is not None)
    return list(found)


def is_invalidated(manager: Any) -> bool:
    """Whether torch gave up an entry, for an object it hangs on is gone."""
    return isinstance(manager, dynamo_module("guards").DeletedGuardManagerWrapper)
