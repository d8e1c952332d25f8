"""Whether a call fits what the target takes, and what to write where it does not.

A call that would work is never refused: an unknown decorator may add or drop arguments, so only
the signature of what is really called counts, and torch's own wrappers pass everything on.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from types import FunctionType, MethodType
from typing import Any, Protocol

from ...errors import TargetError
from ..dynamo.taps import compiled_original, is_module
from ..values.avals import aval_text, short_dtype
from .names import did_you_mean

_DEPTH = 32
_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_STARS: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
_VARIABLE = tuple(_STARS)


class Named(Protocol):
    """What is checked: a `LoadedTarget`, or anything with these two."""

    @property
    def callable(self) -> Any: ...
    @property
    def name(self) -> str: ...


def call_signature(obj: Any) -> Signature | None:
    """The signature calls of `obj` must fit, without `self`; None where there is none to read, or
    where hooks of a module may change the arguments on their way."""
    try:
        return _signature(obj)
    except Exception:  # a builtin; a `__signature__` that raises
        return None


def _signature(obj: Any) -> Signature | None:
    for _ in range(_DEPTH):
        under = compiled_original(obj)
        if under is None or under is obj:
            break
        obj = under
    if is_module(obj):
        if obj._forward_pre_hooks or _has_own_call(obj):
            return None
        return _signature(obj.forward)
    if isinstance(obj, MethodType) and isinstance(obj.__func__, FunctionType):
        return inspect.signature(
            MethodType(_peel(obj.__func__), obj.__self__), follow_wrapped=False
        )
    return inspect.signature(_peel(obj), follow_wrapped=False)


def _has_own_call(module: Any) -> bool:
    return type(module).__call__ is not sys.modules["torch"].nn.Module.__call__


def _peel(function: Any) -> Any:
    """What torch's wrappers (`no_grad`, `compile`) around `function` pass their arguments to."""
    for _ in range(_DEPTH):
        if not isinstance(function, FunctionType) or not _is_torchs(function):
            break
        wrapped = getattr(function, "__wrapped__", None)
        if not callable(wrapped):
            break
        function = wrapped
    return function


def _is_torchs(function: FunctionType) -> bool:
    torch = sys.modules.get("torch")
    if torch is None or not torch.__file__:
        return False
    return function.__code__.co_filename.startswith(os.path.dirname(torch.__file__) + os.sep)


def parameters_text(obj: Any) -> str:
    """`(x, mode, scale=1.0, *, flag=False)`: annotations left out, defaults as avals."""
    signature = obj if isinstance(obj, Signature) else call_signature(obj)
    if signature is None:
        return "(…)"
    parts: list[str] = []
    seen_star = False
    for p in signature.parameters.values():
        if p.kind is Parameter.KEYWORD_ONLY and not seen_star:
            parts.append("*")
        seen_star = seen_star or p.kind in (Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)
        stars = _STARS.get(p.kind, "")
        default = "" if p.default is Parameter.empty else f"={aval_text(p.default)}"
        parts.append(f"{stars}{p.name}{default}")
    return f"({', '.join(parts)})"


def check_call(
    loaded: Named, args: Sequence[Any], kwargs: Mapping[str, Any], index: int, *, typed: bool = True
) -> None:
    """Raise TargetError where `args` and `kwargs` do not fit the signature of `loaded`.

    `index` is the call's, as the report counts them (from 0). `typed`: the call was written as
    text on the command line, so that a `--call` that fits can be shown.
    """
    signature = call_signature(loaded.callable)
    if signature is None:
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        form = loaded.name + parameters_text(signature)
        raise TargetError(
            _message(form, signature, args, kwargs, f"call {index}"),
            hint=_example(signature, args, kwargs) if typed else None,
        ) from None


def _message(
    form: str, signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any], call: str
) -> str:
    parameters = signature.parameters
    named = [n for n, p in parameters.items() if p.kind is not Parameter.POSITIONAL_ONLY]
    unknown = [name for name in kwargs if name not in named]
    if unknown and not any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values()):
        near = did_you_mean(unknown[0], named)
        return f"{call} names an argument '{unknown[0]}' that {form} does not have{near}"
    twice = [name for name in _filled(signature, len(args)) if name in kwargs and name in named]
    if twice:
        return f"{call} gives '{twice[0]}' of {form} twice, by position and by name"
    missing = _missing(signature, len(args), kwargs)
    without = f", without {' and '.join(map(repr, missing))}" if missing else ""
    given = len(args) + len(kwargs) or "none"
    return f"{form} takes {_takes(signature)}, {call} gives {given}{without}"


def _filled(signature: Signature, count: int) -> list[str]:
    """Names of the parameters that `count` positional arguments fill."""
    return [n for n, p in signature.parameters.items() if p.kind in _BY_POSITION][:count]


def _missing(signature: Signature, count: int, kwargs: Mapping[str, Any]) -> list[str]:
    filled = {*_filled(signature, count), *kwargs}
    return [n for n in _required(signature) if n not in filled]


def _required(signature: Signature) -> list[str]:
    return [
        n
        for n, p in signature.parameters.items()
        if p.default is Parameter.empty and p.kind not in _VARIABLE
    ]


def _takes(signature: Signature) -> str:
    least = len(_required(signature))
    most = sum(p.kind not in _VARIABLE for p in signature.parameters.values())
    variable = any(p.kind in _VARIABLE for p in signature.parameters.values())
    count = (
        f"at least {least}" if variable else str(most) if least == most else f"{least} to {most}"
    )
    if most == 0 and not variable:
        return "no arguments"
    by_name = any(p.kind is Parameter.KEYWORD_ONLY for p in signature.parameters.values())
    most_placed = sum(p.kind in _BY_POSITION for p in signature.parameters.values())
    placed = f" ({most_placed} by position)" if by_name and not variable else ""
    return f"{count} argument{'' if (least if variable else most) == 1 else 's'}{placed}"


def _example(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """A `--call` that fits: the values given, and the name in capitals where one is missing."""
    words: list[str] = []
    blanks: list[str] = []
    queue = list(args)
    for name in _required(signature):
        parameter = signature.parameters[name]
        prefix = f"{name}=" if parameter.kind is Parameter.KEYWORD_ONLY else ""
        given = [queue.pop(0)] if queue and not prefix else [kwargs[name]] if name in kwargs else []
        text = _as_typed(given[0]) if given else name.upper()
        if text is None:
            return None
        blanks += [] if given else [text]
        words.append(prefix + text)
    if not words:
        return None
    stand = "stands for a value" if len(blanks) == 1 else "stand for values"
    where = f", where {' and '.join(blanks)} {stand} such as 4xf32, 3 or 'sin'"
    return f"write --call {','.join(words)}{where if blanks else ''}"


def _as_typed(value: Any) -> str | None:
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    torch = sys.modules.get("torch")
    if torch is not None and type(value) is torch.Tensor:
        return "x".join([*map(str, value.shape), short_dtype(value.dtype)])
    return None
