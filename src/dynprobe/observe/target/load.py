"""The target: what is called, what it is, and where its source lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Literal

from ...errors import TargetError
from ...report import Target
from ...spec.model import Options, TargetSpec
from ...spec.target import parse_target
from ..dynamo.taps import compile_options, compiled_function, compiled_original, is_module
from .resolve import Place, as_callable, call_empty, resolve, steps_text
from .tracebacks import error_line, user_traceback

if TYPE_CHECKING:
    from torch import nn

Kind = Literal["function", "method", "module", "callable", "compiled"]
_DEPTH = 64  # layers of wrappers; a chain that is longer turns in a circle


@dataclass(frozen=True, slots=True)
class LoadedTarget:
    """`callable` is what is called; `code` the code object of the user's innermost function under
    it: a module's forward, a partial's function, the original of what is compiled, the function a
    decorator wraps. It is None for what is written in C. `compiled` things are called as they
    are, with the options they have."""

    callable: Any
    kind: Kind
    name: str
    spec: str
    code: CodeType | None
    file: str | None
    line: int | None
    module: nn.Module | None
    compiled: bool
    compile_options: dict[str, str] = field(default_factory=dict)

    def report(self) -> Target:
        """The target as the report has it."""
        return Target(
            spec=self.spec,
            name=self.name,
            kind=self.kind,
            file=self.file,
            line=self.line,
            compile_options=self.compile_options,
        )


def load_target(spec: TargetSpec, options: Options) -> LoadedTarget:
    """Import, find and make ready the target that `spec` names.

    Raises TargetError for whatever keeps it from being called. The user's code runs here: its
    module, and constructors and factories on the way.
    """
    obj = resolve(spec, options.app_dir)
    at = Place(spec.file or f"'{spec.module}'", spec.steps)
    if options.factory:
        obj = call_empty(obj, at)
    obj = as_callable(obj, at)
    return describe(obj, spec=spec.text, name=steps_text(spec.steps), train=options.train)


def load_object(text: str, options: Options) -> Any:
    """The object that a target text (`pkg.mod:obj`, `file.py:obj`) names. Raises GrammarError,
    TargetError."""
    return resolve(parse_target(text), options.app_dir)


def run_setup(options: Options) -> None:
    """Call the function that `options.setup` names, if it names one. Raises TargetError."""
    if options.setup is not None:
        spec = parse_target(options.setup)
        at = Place(spec.file or f"'{spec.module}'", spec.steps)
        call_empty(resolve(spec, options.app_dir), at)


def describe(
    obj: Any, *, spec: str | None = None, name: str | None = None, train: bool | None = None
) -> LoadedTarget:
    """A callable object as a target. `train` puts its module into training (True) or evaluation
    (False) mode. Raises TargetError where it has no module, or the module's `train()` fails."""
    name = name or _own_name(obj)
    module = _module_of(obj)
    if train is not None:
        _set_mode(module, train, name)
    codes = code_layers(obj)
    code = codes[-1] if codes else None
    compiled = is_compiled(obj)
    return LoadedTarget(
        callable=obj,
        kind="compiled" if compiled else _kind(obj),
        name=name,
        spec=spec or name,
        code=code,
        file=code.co_filename if code else None,
        line=code.co_firstlineno if code else None,
        module=module,
        compiled=compiled,
        compile_options=compile_options(_compiled_part(obj)) if compiled else {},
    )


def is_compiled(obj: Any) -> bool:
    """Whether calling `obj` goes straight to what `torch.compile` made."""
    return _compiled_part(obj) is not None


def _compiled_part(obj: Any) -> Any | None:
    for _ in range(_DEPTH):
        if compiled_original(obj) is not None:
            return obj
        if isinstance(obj, partial):
            obj = obj.func
        elif is_module(obj):  # a class whose forward carries @torch.compile
            obj = _attribute(obj, "forward")
        else:
            return None
    return None


def _kind(obj: Any) -> Kind:
    if is_module(obj):
        return "module"
    if isinstance(obj, MethodType):
        return "method"
    return "function" if isinstance(obj, (FunctionType, BuiltinFunctionType)) else "callable"


def _own_name(obj: Any) -> str:
    if isinstance(obj, partial):
        return f"partial({_own_name(obj.func)})"
    if isinstance(obj, MethodType):
        return f"{type(obj.__self__).__name__}.{_own_name(obj.__func__)}"
    if isinstance(obj, (FunctionType, BuiltinFunctionType)):
        return obj.__name__
    original = compiled_original(obj)
    return type(obj).__name__ if original is None else type(original).__name__


def _module_of(obj: Any) -> nn.Module | None:
    """The module that `obj` is, or a method of, under any wrapper."""
    for _ in range(_DEPTH):
        if isinstance(obj, partial):
            obj = obj.func
        elif isinstance(obj, MethodType):
            obj = obj.__self__
        elif (under := compiled_original(obj)) is not None and under is not obj:
            obj = under
        else:
            break
    module: nn.Module | None = obj if is_module(obj) else None
    return module


def _set_mode(module: nn.Module | None, train: bool, name: str) -> None:
    mode = "train" if train else "eval"
    if module is None:
        raise TargetError(
            f"{name} is no nn.Module, so --{mode} has nothing to set",
            hint=f"call .{mode}() on the module in your own code, or in a --setup function",
        )
    try:
        module.train(train)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise TargetError(
            f"{name}.train({train}) raised {error_line(error)}", detail=user_traceback(error)
        ) from None


def code_layers(obj: Any) -> tuple[CodeType, ...]:
    """Code objects from what is called down to the user's innermost function: the decorators that
    say what they wrap, then that function itself."""
    codes = []
    for _ in range(_DEPTH):
        if isinstance(obj, FunctionType):
            codes.append(obj.__code__)
        under = _layer_below(obj)
        if under is None:
            break
        obj = under
    return tuple(codes)


def _layer_below(obj: Any) -> Any | None:
    if isinstance(obj, FunctionType):
        return compiled_function(obj) or vars(obj).get("__wrapped__")
    if isinstance(obj, MethodType):
        return obj.__func__
    if isinstance(obj, partial):
        return obj.func
    if is_module(obj):
        under = compiled_original(obj)
        return under if under is not None and under is not obj else _attribute(obj, "forward")
    if isinstance(obj, (BuiltinFunctionType, type)):
        return None
    for cls in type(obj).__mro__:
        if "__call__" in vars(cls):
            call = vars(cls)["__call__"]
            return call if isinstance(call, FunctionType) else None
    return None


def _attribute(obj: Any, name: str) -> Any | None:
    try:
        return getattr(obj, name, None)
    except Exception:
        return None
