"""What the target's parameters are called, through the decorators around it."""

from __future__ import annotations

import inspect

from ..load import LoadedTarget


def user_signature(loaded: LoadedTarget) -> inspect.Signature | None:
    """The signature of what the user wrote, through decorators that say what they wrap."""
    target = loaded.module.forward if loaded.kind == "module" and loaded.module else loaded.callable
    try:
        return inspect.signature(target)
    except (TypeError, ValueError):
        return None


def positional_names(loaded: LoadedTarget) -> tuple[str, ...]:
    """Names of the target's parameters, `self` included where its code has it."""
    signature = user_signature(loaded)
    if signature is None:
        return ()
    names = tuple(signature.parameters)
    bound = loaded.kind in ("method", "module")
    return ("self", *names) if bound else names
