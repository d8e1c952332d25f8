"""Any value in a few characters: `f32[4,8]`, `[f32[4], 3, 'sin']`, `Batch(x=f32[3], step=0)`.

No code of the user's runs here: no `__repr__`, no `__getattr__`, no property, no `__iter__`.
Whatever a value does, the worst that comes out is the name of its type.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from ...spec.dtypes import DTYPES
from ..dynamo.taps import plain_look

ITEMS = 4  # of a list, tuple or dict
FIELDS = 8  # of a dataclass or namedtuple
DEPTH = 3
TEXT = 40  # characters of a string or number
WHOLE = 300  # characters of everything

_SHORT = {d.torch_name: d.short for d in DTYPES.values()}
# Arrays of others: what their makers call them.
_ARRAYS = {
    ("numpy", "ndarray"): "ndarray",
    ("jaxlib", "ArrayImpl"): "Array",
    ("jax", "ArrayImpl"): "Array",
}
# Tensor classes that say nothing about what the user did.
_PLAIN_TENSORS = {"Tensor", "Parameter", "Buffer", "FakeTensor", "FunctionalTensor"}


def aval_text(value: object, name: str | None = None) -> str:
    """`value` as an aval, `name=` before it where a name is given. Never raises.

    After a tensor's type stands what is special about it, in the words of the input grammar:
    `f32[4] grad`, `f32[4,8] noncontiguous`, `f32[4] cuda:0`.
    """
    text = _cut(_guarded(value, 0), WHOLE)
    return text if name is None else f"{name}={text}"


def tensor_text(tensor: Any) -> str:
    """`f32[4,8]`, `f32[]` for 0-d, `f32[s0, 8]` where a size is an expression.

    Safe on fake tensors: asks nothing that would put a guard on a symbolic size.
    """
    sizes = list(tensor.shape)
    symbolic = any(type(size) is not int for size in sizes)
    return f"{short_dtype(tensor.dtype)}[{(', ' if symbolic else ',').join(map(str, sizes))}]"


def short_dtype(dtype: object) -> str:
    """`torch.float32` → `f32`; a dtype without a short name keeps its own."""
    name = str(dtype).rpartition(".")[2]
    return _SHORT.get(name, name)


def type_name(value: object) -> str:
    """The name of the type of `value`, whatever its metaclass does."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name


def _guarded(value: object, depth: int) -> str:
    try:
        return _text(value, depth)
    except Exception:
        return type_name(value)


def _text(value: Any, depth: int) -> str:
    cls = type(value)
    if cls in _EXACT:
        return _EXACT[cls](value)
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "Tensor"):
        if issubclass(cls, torch.Tensor):
            return _tensor(value, torch)
        if issubclass(cls, torch.nn.Module):
            return type_name(value)
        if issubclass(
            cls, (torch.dtype, torch.device, torch.SymInt, torch.SymFloat, torch.SymBool)
        ):
            return str(value)
    if issubclass(cls, enum.Enum):
        return f"{type_name(value)}.{object.__getattribute__(value, '_name_')}"
    if (array := _ARRAYS.get((cls.__module__.partition(".")[0], type_name(value)))) is not None:
        return f"{array}({_SHORT.get(str(value.dtype), value.dtype)}{_brackets(value.shape)})"
    return _container(value, depth)


def _brackets(sizes: Iterable[int]) -> str:
    return f"[{','.join(map(str, sizes))}]"


def _tensor(tensor: Any, torch: ModuleType) -> str:
    with plain_look():  # a subclass may act on the mere look at a shape
        text = tensor_text(tensor)
        cls = type_name(tensor)
        if cls == "FakeTensor":
            return text
        text += _special(tensor, torch)
    return text if cls in _PLAIN_TENSORS else f"{cls}({text})"


def _special(tensor: Any, torch: ModuleType) -> str:
    words = []
    if tensor.requires_grad:
        words.append("grad")
    if tensor.layout != torch.strided:
        words.append(str(tensor.layout).removeprefix("torch."))
    elif all(type(size) is int for size in tensor.shape) and not tensor.is_contiguous():
        words.append("channels_last" if _is_channels_last(tensor, torch) else "noncontiguous")
    if tensor.device.type != "cpu":
        words.append(str(tensor.device))
    return "".join(f" {word}" for word in words)


def _is_channels_last(tensor: Any, torch: ModuleType) -> bool:
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    layout = formats.get(tensor.dim())
    return layout is not None and bool(tensor.is_contiguous(memory_format=layout))


def _container(value: Any, depth: int) -> str:
    cls = type(value)
    if "__dataclass_fields__" in _names_of(cls):
        return _record(value, list(cls.__dataclass_fields__), _field, depth)
    if issubclass(cls, tuple):
        if isinstance(fields := getattr(cls, "_fields", None), tuple):
            values = dict(zip(fields, tuple.__iter__(value), strict=False))
            return _record(value, list(fields), lambda _, name: values[name], depth)
        count = tuple.__len__(value)
        comma = "," if count == 1 else ""
        return f"{_own(value, tuple)}({_items(tuple.__iter__(value), count, depth)}{comma})"
    if issubclass(cls, list):
        return f"{_own(value, list)}[{_items(list.__iter__(value), list.__len__(value), depth)}]"
    if issubclass(cls, dict):
        return f"{_own(value, dict)}{{{_pairs(value, depth)}}}"
    return type_name(value)


def _elided(count: int) -> str:
    return f"… {count} item{'' if count == 1 else 's'}"


def _names_of(cls: type) -> set[str]:
    return {name for base in type.__dict__["__mro__"].__get__(cls) for name in vars(base)}


def _own(value: object, base: type) -> str:
    """The name of a subclass; the base needs none."""
    return "" if type(value) is base else type_name(value)


def _items(values: Iterable[object], count: int, depth: int) -> str:
    if depth >= DEPTH:
        return _elided(count) if count else ""
    shown = [
        _guarded(value, depth + 1) for value in islice(values, ITEMS if count > ITEMS else count)
    ]
    return ", ".join([*shown, _elided(count)] if count > ITEMS else shown)


def _pairs(value: dict[Any, Any], depth: int) -> str:
    count = dict.__len__(value)
    if depth >= DEPTH:
        return _elided(count) if count else ""
    shown = [
        f"{key if type(key) is str else _guarded(key, depth + 1)}: {_guarded(item, depth + 1)}"
        for key, item in islice(dict.items(value), ITEMS)
    ]
    return ", ".join([*shown, _elided(count)] if count > ITEMS else shown)


def _record(value: Any, names: list[str], read: Callable[[Any, str], Any], depth: int) -> str:
    if depth >= DEPTH:
        return f"{type_name(value)}(…)"
    shown = [f"{name}={_guarded(read(value, name), depth + 1)}" for name in names[:FIELDS]]
    more = [f"… {len(names)} fields"] if len(names) > FIELDS else []
    return f"{type_name(value)}({', '.join(shown + more)})"


@dataclass(frozen=True)
class _Unread:
    """A field that only code of the user's could give."""


def _field(value: object, name: str) -> object:
    try:
        own: dict[str, object] = object.__getattribute__(value, "__dict__")
    except AttributeError:  # slots
        own = {}
    if name in own:
        return own[name]
    for base in type.__dict__["__mro__"].__get__(type(value)):
        member = vars(base).get(name)
        if isinstance(member, MemberDescriptorType):
            return member.__get__(value)
    return _Unread()


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _string(value: str | bytes) -> str:
    """Cut inside the quotes: a long string is not turned into its whole repr first."""
    if len(value) <= TEXT:
        return repr(value)
    shown = repr(value[: TEXT - 1])
    return f"{shown[:-1]}…{shown[-1]}"


def _number(value: object) -> str:
    return _cut(repr(value), TEXT)


def _function(value: Any) -> str:
    return f"function {_cut(value.__name__, TEXT)}"


_EXACT: dict[type, Callable[[Any], str]] = {
    type(None): repr,
    type(...): lambda _: "...",
    bool: repr,
    int: _number,
    float: _number,
    complex: _number,
    str: _string,
    bytes: _string,
    _Unread: lambda _: "…",
    FunctionType: _function,
    BuiltinFunctionType: _function,
    MethodType: lambda value: f"method {_cut(getattr(value.__func__, '__name__', '…'), TEXT)}",
    ModuleType: lambda value: "module",
    type: lambda value: f"class {_cut(value.__name__, TEXT)}",
}
