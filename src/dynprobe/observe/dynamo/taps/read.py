"""What of Dynamo's private state is read, function by function; nothing here is kept."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from ..records import EntryHandle

MARK = "dynprobe watches this entry"
RESUME_PREFIX = "torch_dynamo_resume_in_"


def dynamo_module(name: str) -> Any:
    """A module of `torch._dynamo` by its last name."""
    return importlib.import_module(f"torch._dynamo.{name}")


def eval_frame() -> Any:
    return importlib.import_module("torch._C._dynamo.eval_frame")


def torch_version() -> str:
    import torch

    return str(torch.__version__)


def default_recompile_limit() -> int | None:
    """torch's own limit of cache entries per code object (`cache_size_limit` before 2.8)."""
    config = dynamo_module("config")
    limit = getattr(config, "recompile_limit", getattr(config, "cache_size_limit", None))
    return limit if isinstance(limit, int) else None


def limit_of_all() -> int | None:
    """torch's limit of cache entries of a code object, whatever they were made for."""
    limit = getattr(dynamo_module("config"), "accumulated_recompile_limit", None)
    return limit if isinstance(limit, int) else None


def config_patch(**values: object) -> Any:
    """A context manager that holds Dynamo's config (of this thread) at `values`."""
    return dynamo_module("config").patch(**values)


def dynamo_disabled() -> bool:
    return bool(getattr(dynamo_module("config"), "disable", False))


def cache_entries(code: CodeType) -> list[EntryHandle]:
    """The cache entries of a code object, most recently used first."""
    read = getattr(eval_frame(), "_debug_get_cache_entry_list", None)
    if read is None:
        return []
    return [
        EntryHandle(_compile_id(e), e.guard_manager, getattr(e, "backend", None), e)
        for e in read(code)
    ]


def _compile_id(owner: Any) -> str:
    return str(getattr(owner, "compile_id", "?"))


def guarded_entry(guarded: Any) -> EntryHandle:
    return EntryHandle(_compile_id(guarded), guarded.guard_manager, None, None)


def backend_of(callback: Any) -> Any:
    """The innermost compiler function of an eval-frame callback: what entries are keyed by."""
    for _ in range(8):
        inner = getattr(callback, "_torchdynamo_orig_backend", None)
        if inner is None:
            break
        callback = inner
    return callback


def watch_entry(manager: Any, passed: Callable[[], None]) -> bool:
    """Adds the epilogue guard that calls `passed`, which must not raise, whenever all guards of
    the entry held."""

    def note(_: object) -> bool:
        passed()
        return True

    return _add_guard(getattr(manager.root, "add_epilogue_lambda_guard", None), note)


def watch_tries(manager: Any, tried: Callable[[dict[str, Any]], None]) -> bool:
    """Adds a root guard that tells the locals each time the entry is tried and its ambient guards
    held: after the recompile limit nothing else tells of a frame that matched no entry. `tried`
    must not raise."""

    def note(f_locals: Any) -> bool:
        tried(dict(f_locals))
        return True

    return _add_guard(getattr(manager.root, "add_lambda_guard", None), note)


def _add_guard(add: Any, note: Callable[[Any], bool]) -> bool:
    if add is None:
        return False
    try:
        add(note, [MARK], None)
    except TypeError:  # before 2.10 without the user stack
        add(note, [MARK])
    return True


def check_verbose(manager: Any, f_locals: dict[str, Any]) -> tuple[bool, tuple[str, ...]]:
    """torch's own check: whether all guards hold, and the text of the first that does not."""
    info = manager.check_verbose(f_locals)
    return bool(info.result), tuple(str(p) for p in info.verbose_code_parts)


def guard_scope(manager: Any, f_locals: dict[str, Any]) -> dict[str, Any]:
    """The names a guard's source is written in: L, G and torch's helper functions."""
    scope: dict[str, Any] = {"L": f_locals, "G": (manager.global_scope or {}).get("G", {})}
    scope.update(manager.closure_vars or {})
    return scope


def guard_info(guard: Any) -> tuple[str, str, list[Any]]:
    """Of a `torch._guards.Guard`: its source, the function that made it, its user stack."""
    name = guard.name if isinstance(guard.name, str) else guard.name()
    return name, str(guard.create_fn_name()), list(guard.user_stack or [])


def dispatch_keys(tensor: Any) -> str:
    """The dispatch keys that a guard compares: the tensor's own under this thread's state."""
    c = importlib.import_module("torch._C")
    keys = c._dispatch_keys(tensor) | c._dispatch_tls_local_include_set()
    return str(keys - c._dispatch_tls_local_exclude_set())


def user_stack() -> list[Any]:
    """The user's stack at the place that is being captured now, outermost first."""
    return list(importlib.import_module("torch._guards").TracingContext.extract_stack())


@contextlib.contextmanager
def quiet_warnings() -> Iterator[None]:
    """Holds back Dynamo's own warning of a reached limit: the report says it."""
    logger = logging.getLogger("torch._dynamo.convert_frame")

    def keep(record: logging.LogRecord) -> bool:
        return "torch._dynamo hit config" not in str(record.msg)

    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)


def global_state() -> str:
    """The process's state as a GLOBAL_STATE guard would record it now, as JSON text."""
    state = importlib.import_module("torch._C._dynamo.guards").GlobalStateGuard()
    return str(state.__getstate__())


def mark_dynamic(tensor: Any, dim: int) -> None:
    importlib.import_module("torch._dynamo").mark_dynamic(tensor, dim)


def resolve_backend(name: str) -> Any:
    """The compiler function of a backend's name. Raises KeyError with the name, all that torch
    knows, and those that are meant for use."""
    registry_module = dynamo_module("backends.registry")
    try:
        return registry_module.lookup_backend(name)
    except Exception as error:
        listed = importlib.import_module("torch.compiler").list_backends
        usual = ["eager", "aot_eager", *listed()]
        raise KeyError(name, sorted({*listed(exclude_tags=()), *usual}), usual) from error


def never_trace(code: CodeType) -> None:
    """Keeps Dynamo from looking at a function of ours, and at what it calls, when it is run while
    the target runs."""
    api, types = eval_frame(), dynamo_module("types")
    skip = types.FrameAction.SKIP
    api.set_code_exec_strategy(code, types.FrameExecStrategy(skip, skip))


def is_dynamo_file(file: str) -> bool:
    return f"{os.sep}torch{os.sep}_dynamo{os.sep}" in file


def plain_look() -> Any:
    """A context manager in which a tensor subclass does not act on a mere look at its shape."""
    return importlib.import_module("torch._C").DisableTorchFunctionSubclass()


def is_inlining(code: CodeType) -> bool:
    """Whether a frame is torch's own wrapper around something it does not compile as it is."""
    return code.co_filename.endswith("_dynamo/external_utils.py") and code.co_name == "inner"


def marked_dims(tensor: Any) -> set[int]:
    """Dimensions that `mark_dynamic` and its like marked on a tensor."""
    names = ("_dynamo_dynamic_indices", "_dynamo_weak_dynamic_indices", "_dynamo_unbacked_indices")
    return {dim for name in names for dim in getattr(tensor, name, ())}


def unbacked_dims(tensor: Any) -> set[int]:
    """Dimensions that `mark_unbacked` marked on a tensor."""
    names = ("_dynamo_unbacked_indices", "_dynamo_strict_unbacked_indices")
    return {dim for name in names for dim in getattr(tensor, name, ())}


def placeholder_source(node: Any) -> str:
    """Where a graph's input comes from, as an expression over L and G; "" where it is not said."""
    argument = node.meta.get("grapharg")
    source = getattr(argument, "source", None) or getattr(node, "_dynamo_source", None)
    name = getattr(source, "name", "")
    return str(name() if callable(name) else name)
