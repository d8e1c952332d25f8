"""What the target's parameters are called, through the decorators around it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ...errors import InputError, TargetError
from ..target.load import LoadedTarget
from ..values.make import MadeCall

Mark = tuple[str, int]  # a parameter's name, a dimension


def _signature(loaded: LoadedTarget) -> inspect.Signature | None:
    """The signature of what the user wrote."""
    module = loaded.module if loaded.kind == "module" else None
    try:
        return inspect.signature(module.forward if module is not None else loaded.callable)
    except (TypeError, ValueError):
        return None


def positional_names(loaded: LoadedTarget) -> tuple[str, ...]:
    """Names of the target's parameters, `self` included where its code has it."""
    signature = _signature(loaded)
    if signature is None:
        return ()
    names = tuple(signature.parameters)
    return ("self", *names) if loaded.kind in ("method", "module") else names


def check_marks(loaded: LoadedTarget, calls: Sequence[MadeCall], marks: Sequence[Mark]) -> None:
    """Raises TargetError where `--mark-dynamic` names no parameter of the target, InputError where
    no call passes a tensor as it, or one has no such dimension."""
    for name, dim in marks:
        _check_name(loaded, name)
        ranks = [value.dim() for value in _tensors(loaded, calls, name)]
        if not ranks:
            raise InputError(f"--mark-dynamic {name}:{dim}: no call passes a tensor as '{name}'")
        if not all(-rank <= dim < rank for rank in ranks):
            rank = f"{min(ranks)} dimension" + ("" if min(ranks) == 1 else "s")
            raise InputError(
                f"--mark-dynamic {name}:{dim}: '{name}' has {rank}",
                hint=f"they are counted from 0, e.g. {name}:0",
            )


def _check_name(loaded: LoadedTarget, name: str) -> None:
    signature = _signature(loaded)
    if signature is None or name in signature.parameters:
        return
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return
    raise TargetError(
        f"--mark-dynamic names '{name}', which {loaded.name} does not take",
        hint="its parameters: " + ", ".join(signature.parameters),
    )


def _tensors(loaded: LoadedTarget, calls: Sequence[MadeCall], name: str) -> list[Any]:
    passed = [argument(loaded, made, name) for made in calls]
    return [value for value in passed if hasattr(value, "dim")]


def argument(loaded: LoadedTarget, made: MadeCall, name: str) -> Any:
    """What a call passes as parameter `name`; None where it passes nothing."""
    signature = _signature(loaded)
    if name in made.kwargs or signature is None:
        return made.kwargs.get(name)
    return signature.bind(*made.args, **made.kwargs).arguments.get(name)
