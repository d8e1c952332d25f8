"""Objects that are already `torch.compile`d: what is under them and how they were compiled.

torch has no public way to ask, so all is read guardedly (torch 2.9 to 2.13); what cannot be read
is left out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

_EVAL_FRAME = os.path.join("torch", "_dynamo", "eval_frame.py")


def is_module(obj: object) -> bool:
    """Whether `obj` is an `nn.Module`; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(type(obj), torch.nn.Module)


def compiled_original(obj: object) -> Any | None:
    """What lies under one layer of `torch.compile`, or None where `obj` has no such layer."""
    if isinstance(obj, MethodType):
        under = compiled_original(obj.__func__)
        return MethodType(under, obj.__self__) if callable(under) else None
    if _is_wrapper(obj):
        return vars(obj).get("_torchdynamo_orig_callable")
    if is_module(obj):
        if _is_optimized_module(obj):
            return getattr(obj, "_orig_mod", None)
        if in_place_call(obj) is not None:
            return obj
    return None


def compiled_function(function: FunctionType) -> Any | None:
    """The function under one of torch's wrappers of it, or None."""
    return vars(function).get("_torchdynamo_orig_callable")


def in_place_call(module: object) -> Any | None:
    """The compiled call of a module on which `.compile()` was called, else None."""
    return vars(module).get("_compiled_call_impl")


def compile_options(obj: object) -> dict[str, str]:
    """`backend`, `dynamic`, `fullgraph`, `mode` of a compiled object, in words."""
    context = _context(obj)
    if context is None:
        return {}
    chain = list(_backends(getattr(context, "callback", None)))
    options = {"backend": _backend_name(chain)}
    backend = chain[-1] if chain else None
    if backend is not None and hasattr(backend, "dynamic"):
        options["dynamic"] = _tristate(backend.dynamic)
    fullgraph = getattr(context, "fullgraph", None)
    if isinstance(fullgraph, bool):
        options["fullgraph"] = _tristate(fullgraph)
    options["mode"] = _mode(backend)
    return {name: value for name, value in options.items() if value is not None}


def _is_wrapper(obj: object) -> bool:
    """By where its code lies: `functools.wraps` copies every attribute to functions that are none.
    `torch.compiler.disable` makes wrappers of the same look."""
    return (
        isinstance(obj, FunctionType)
        and obj.__code__.co_filename.endswith(_EVAL_FRAME)
        and "_torchdynamo_orig_callable" in vars(obj)
        and not vars(obj).get("_torchdynamo_disable", False)
    )


def _is_optimized_module(obj: object) -> bool:
    return any(
        cls.__name__ == "OptimizedModule" and cls.__module__ == "torch._dynamo.eval_frame"
        for cls in type(obj).__mro__
    )


def _context(obj: object) -> Any | None:
    """The `OptimizeContext` that `torch.compile` made for `obj`."""
    if is_module(obj):
        if _is_optimized_module(obj):
            return vars(obj).get("dynamo_ctx")
        obj = in_place_call(obj)
    function = obj.__func__ if isinstance(obj, MethodType) else obj
    if not isinstance(function, FunctionType) or not function.__closure__:
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
    try:
        return cells["self"].cell_contents
    except (KeyError, ValueError):
        return None


def _backends(callback: Any) -> Iterator[Any]:
    """Dynamo's callback and what it wraps, down to what `torch.compile` made of the backend."""
    for _ in range(16):
        if callback is None:
            return
        yield callback
        callback = getattr(callback, "_torchdynamo_orig_backend", None)


def _backend_name(chain: list[Any]) -> str | None:
    for part in reversed(chain):
        name = getattr(part, "compiler_name", None) or getattr(part, "__name__", None)
        if isinstance(name, str):
            return name
    return None


def _tristate(value: object) -> str | None:
    if value is None:
        return "auto"
    return str(value).lower() if isinstance(value, bool) else None


def _mode(backend: Any) -> str | None:
    """Inductor keeps only what its mode stands for, other backends the mode itself."""
    mode = getattr(backend, "kwargs", {}).get("mode")
    if isinstance(mode, str):
        return mode
    config = getattr(backend, "config", None)
    inductor = sys.modules.get("torch._inductor")
    if not config or inductor is None:
        return None
    try:
        modes = inductor.list_mode_options()
    except Exception:
        return None
    return next((name for name, meaning in modes.items() if meaning == config), None)
