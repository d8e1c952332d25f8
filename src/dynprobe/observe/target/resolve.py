"""From a module along attribute names and empty calls to the object a text names."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from functools import cached_property, partialmethod
from types import FunctionType, ModuleType
from typing import Any

from ...errors import TargetError
from ...spec.model import TargetSpec
from ..dynamo.taps import is_module
from .imports import import_failed, import_module
from .names import callables_of, did_you_mean, offer, public_names, short_path
from .signature import parameters_text
from .tracebacks import error_line, user_traceback


def steps_text(steps: tuple[str, ...]) -> str:
    """("net", "()", "encode") → `net().encode`."""
    return "".join(step if step == "()" else f".{step}" for step in steps).removeprefix(".")


def resolve(spec: TargetSpec, app_dir: str | None = None) -> Any:
    """The object that `spec` names. A method named on its class comes bound to a fresh instance.
    Raises TargetError."""
    module = import_module(spec, app_dir)
    if not spec.steps:
        raise TargetError(f"'{spec.text}' names no object in it", hint=offer(module))
    current: Any = module
    place = module_place(module, spec)
    for number, step in enumerate(spec.steps):
        at = Place(place, spec.steps[:number])
        current = call_empty(current, at) if step == "()" else _attribute(current, step, at)
    return current


class Place:
    """How far along the steps we are, in words: `nets.py`, `Net()` in `nets.py`."""

    def __init__(self, module: str, steps: tuple[str, ...]) -> None:
        self.module = module
        self.path = steps_text(steps)

    def __str__(self) -> str:
        return f"{self.path} in {self.module}" if self.path else self.module


def module_place(module: ModuleType, spec: TargetSpec) -> str:
    file = getattr(module, "__file__", None)
    if spec.file is not None:
        return spec.file
    return f"'{spec.module}' ({short_path(file)})" if isinstance(file, str) else f"'{spec.module}'"


def call_empty(obj: Any, at: Place) -> Any:
    """`obj()`: a class's instance, a factory's product."""
    if not callable(obj):
        raise TargetError(f"{at} is not callable: it is {a_type(obj)}")
    missing = _required(obj)
    if missing:
        kind = "class" if isinstance(obj, type) else "function"
        raise TargetError(
            f"{at} needs arguments to be called: {at.path}{parameters_text(obj)}",
            hint=f"write a function without arguments that calls this {kind}, and name that one",
        )
    try:
        return obj()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise TargetError(
            f"calling {at.path}() raised {error_line(error)}", detail=user_traceback(error)
        ) from None


def _required(obj: Any) -> list[str]:
    try:
        parameters = inspect.signature(obj).parameters.values()
    except Exception:  # no signature to read: the call itself will tell
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        p.name
        for p in parameters
        if p.default is inspect.Parameter.empty and p.kind not in variable
    ]


def _attribute(obj: Any, name: str, at: Place) -> Any:
    owner = obj
    if isinstance(obj, type) and _wants_instance(obj, name):
        owner = call_empty(obj, at)
    try:
        return getattr(owner, name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if not isinstance(error, AttributeError) or _static(owner, name) is not None:
            said = f"reading {name} of {at} raised {error_line(error)}"
            raise TargetError(said, detail=user_traceback(error)) from None
    return _submodule(owner, name, at)


def _wants_instance(cls: type, name: str) -> bool:
    static = _static(cls, name)
    return isinstance(static, (FunctionType, property, cached_property, partialmethod))


def _static(obj: object, name: str) -> object:
    try:
        return inspect.getattr_static(obj, name, None)
    except Exception:
        return None


def _submodule(obj: Any, name: str, at: Place) -> Any:
    """A module of the package `obj` that nobody has imported yet; else the name is missing."""
    if isinstance(obj, ModuleType) and hasattr(obj, "__path__"):
        full = f"{obj.__name__}.{name}"
        try:
            if importlib.util.find_spec(full) is not None:
                return importlib.import_module(full)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise import_failed(error, f"'{full}'") from None
    raise _missing(obj, name, at)


def _missing(obj: Any, name: str, at: Place) -> TargetError:
    suggestion = did_you_mean(name, callables_of(obj)) or did_you_mean(name, public_names(obj))
    hint = offer(obj)
    if isinstance(obj, type) and is_module_class(obj):
        hint = f"{at.path}().{name} names an attribute of an instance"
    elif isinstance(obj, ModuleType) and (shadowed := _shadowed_file(obj)):
        hint = f"{shadowed} here is another file: name it as {shadowed}:{name}"
    return TargetError(f"{at} has no '{name}'{suggestion}", hint=hint)


def _shadowed_file(module: ModuleType) -> str | None:
    """A file in the current directory that the user may have meant by this module's name."""
    local = module.__name__.replace(".", os.sep) + ".py"
    file = getattr(module, "__file__", None)
    here = os.path.abspath(local)
    return local if os.path.isfile(here) and file is not None and here != file else None


def is_module_class(obj: object) -> bool:
    """Whether `obj` is a class of `nn.Module`s."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(obj, type) and issubclass(obj, torch.nn.Module)


def as_callable(obj: Any, at: Place) -> Any:
    """What is called when `obj` is the target: `obj`, or an instance where it is a class of
    modules or of callable objects."""
    if isinstance(obj, type):
        if not is_module_class(obj) and not any("__call__" in vars(c) for c in obj.__mro__):
            raise TargetError(
                f"{at} is a class whose instances cannot be called",
                hint=f"name a method of it, such as {at.path}.{callables_of(obj)[0]}"
                if callables_of(obj)
                else None,
            )
        obj = call_empty(obj, at)
    if not callable(obj):
        raise TargetError(f"{at} is there but is not callable: it is {a_type(obj)}")
    if is_module(obj) and not _has_forward(obj):
        raise TargetError(
            f"{at} is {a_type(obj)} without a forward method", hint=_other_methods(obj, at)
        )
    return obj


def _has_forward(module: Any) -> bool:
    forward = vars(module).get("forward") or _static(type(module), "forward")
    return getattr(forward, "__name__", "") != "_forward_unimplemented"


def _other_methods(module: Any, at: Place) -> str | None:
    own = [n for n, v in vars(type(module)).items() if isinstance(v, FunctionType) and n[0] != "_"]
    return (
        f"name one of its own methods: {', '.join(f'{at.path}.{n}' for n in own)}" if own else None
    )


def a_type(obj: object) -> str:
    """`an int`, `a Tensor`."""
    if isinstance(obj, ModuleType):
        return "a module"
    name = type(obj).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
