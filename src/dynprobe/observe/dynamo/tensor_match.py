"""TENSOR_MATCH: what it wants, and which property of a tensor differs.

torch's C++ guard says only pass or fail; its text holds all that it compares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...report import GuardKind
from ...spec.dtypes import DTYPES
from ..values.avals import type_name
from .dispatch_keys import Difference, key_differences
from .taps import plain_look

_SHORT = {f"torch.{d.torch_name}": d.short for d in DTYPES.values()}

_TEXT = re.compile(
    r"check_tensor\((?P<source>.+?), (?P<cls>[\w.<>]+), DispatchKeySet\((?P<keys>.*?)\), "
    r"(?P<dtype>torch\.\w+), device=(?P<device>\w+), requires_grad=(?P<grad>\w+), "
    r"size=\[(?P<size>.*?)\], stride=\[(?P<stride>.*?)\]\)"
)


class Wanted(NamedTuple):
    """`size` and `stride` hold None where the entry accepts any."""

    cls: str
    keys: str
    dtype: str
    device: str
    requires_grad: bool
    size: tuple[int | None, ...]
    stride: tuple[int | None, ...]


def parse(text: str) -> Wanted | None:
    match = _TEXT.match(text)
    if match is None:
        return None
    return Wanted(
        match["cls"],
        match["keys"],
        match["dtype"],
        match["device"],
        match["grad"] == "True",
        _numbers(match["size"]),
        _numbers(match["stride"]),
    )


def _short(dtype: str) -> str:
    return _SHORT.get(dtype, dtype.removeprefix("torch."))


def _numbers(text: str) -> tuple[int | None, ...]:
    items = [t.strip() for t in text.split(",") if t.strip()]
    return tuple(int(t) if t.lstrip("-").isdigit() else None for t in items)


def describe(wanted: Wanted) -> str:
    """`f32[*,4]`, then what is out of the ordinary: strides, device, gradient."""
    size = ",".join("*" if s is None else str(s) for s in wanted.size)
    extra = []
    if not _row_major(wanted):
        extra.append("strides " + ",".join("*" if s is None else str(s) for s in wanted.stride))
    if wanted.device not in ("None", "cpu"):
        extra.append(f"device {wanted.device}")
    if wanted.requires_grad:
        extra.append("grad")
    if wanted.cls not in ("Tensor", "Parameter"):
        extra.append(_last(wanted.cls))
    return " ".join([f"{_short(wanted.dtype)}[{size}]", *extra])


def _row_major(wanted: Wanted) -> bool:
    step = 1
    for size, stride in zip(reversed(wanted.size), reversed(wanted.stride), strict=False):
        if size is None or stride is None:
            return True  # cannot tell, so not out of the ordinary
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def differences(wanted: Wanted, value: Any) -> list[Difference]:
    """Every property of `value` that the guard does not accept, in the order torch compares. One
    of kind `grad_mode` is of the process and not of the tensor."""
    import torch

    cls = type(value)
    if not issubclass(cls, torch.Tensor):
        return [Difference("type", "", _last(wanted.cls), type_name(value))]
    with plain_look():  # a subclass may act on the mere look at a shape
        found: list[Difference] = []
        if cls.__qualname__ != wanted.cls:
            found.append(Difference("type", "", _last(wanted.cls), type_name(value)))
        found.extend(key_differences(wanted.keys, value, wanted.cls))
        found.extend(_properties(wanted, value))
        found.extend(_sizes(wanted, value))
    return found


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _properties(wanted: Wanted, value: Any) -> Iterator[Difference]:
    if str(value.dtype) != wanted.dtype:
        yield Difference("dtype", ".dtype", _short(wanted.dtype), _short(str(value.dtype)))
    if wanted.device.isdigit() and str(value.device.index) != wanted.device:
        yield Difference("device", ".device", f"index {wanted.device}", str(value.device))
    if value.requires_grad != wanted.requires_grad:
        want, have = str(wanted.requires_grad), str(value.requires_grad)
        yield Difference("requires_grad", ".requires_grad", want, have)


def _sizes(wanted: Wanted, value: Any) -> Iterator[Difference]:
    import torch

    if value.dim() != len(wanted.size):
        yield Difference("rank", "", _dimensions(len(wanted.size)), _dimensions(value.dim()))
        return
    yield from _each("size", ".shape[{}]", wanted.size, value.shape)
    if value.layout == torch.strided:
        yield from _each("stride", ".stride()[{}]", wanted.stride, value.stride())


def _dimensions(count: int) -> str:
    return "1 dimension" if count == 1 else f"{count} dimensions"


def _each(
    kind: GuardKind, suffix: str, wanted: tuple[int | None, ...], have: Sequence[int]
) -> Iterator[Difference]:
    for index, (want, now) in enumerate(zip(wanted, have, strict=False)):
        if want is not None and want != now:
            yield Difference(kind, suffix.format(index), str(want), str(now))
