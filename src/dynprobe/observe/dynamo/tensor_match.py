"""TENSOR_MATCH: what it wants, and which property of a tensor differs.

torch's C++ guard says only pass or fail; its text holds all that it compares."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ...report import GuardKind
from ...spec.dtypes import DTYPES
from .taps import dispatch_keys

_SHORT = {f"torch.{d.torch_name}": d.short for d in DTYPES.values()}

_TEXT = re.compile(
    r"check_tensor\((?P<source>.+?), (?P<cls>[\w.]+), DispatchKeySet\((?P<keys>.*?)\), "
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


class Difference(NamedTuple):
    kind: GuardKind
    suffix: str  # appended to the source: "", ".shape[0]", ".stride()[1]"
    expected: str
    actual: str


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
        extra.append(wanted.cls)
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
    """Every property of `value` that the guard does not accept, in the order torch compares."""
    import torch

    if not isinstance(value, torch.Tensor):
        return [Difference("type", "", wanted.cls, type(value).__name__)]
    found: list[Difference] = []
    if type(value).__name__ != wanted.cls:
        found.append(Difference("type", "", wanted.cls, type(value).__name__))
    if str(value.dtype) != wanted.dtype:
        found.append(Difference("dtype", ".dtype", _short(wanted.dtype), _short(str(value.dtype))))
    _device(wanted, value, found)
    if value.requires_grad != wanted.requires_grad:
        found.append(
            Difference(
                "requires_grad", ".requires_grad",
                str(wanted.requires_grad), str(value.requires_grad),
            )
        )  # fmt: skip
    if value.dim() != len(wanted.size):
        found.append(
            Difference("rank", "", f"{len(wanted.size)} dimensions", f"{value.dim()} dimensions")
        )
    else:
        found.extend(_sizes(wanted, value))
    if not found:
        keys = dispatch_keys(value).removeprefix("DispatchKeySet(").removesuffix(")")
        if keys != wanted.keys:
            found.append(Difference("tensor", "", *_key_difference(wanted.keys, keys)))
    return found


def _device(wanted: Wanted, value: Any, found: list[Difference]) -> None:
    kinds = {"CPU": "cpu", "CUDA": "cuda", "XPU": "xpu", "MPS": "mps", "Meta": "meta"}
    named = [kinds[k] for k in wanted.keys.split(", ") if k in kinds]
    if named and value.device.type not in named:
        found.append(Difference("device", ".device", named[0], str(value.device)))
    elif wanted.device.isdigit() and str(value.device.index) != wanted.device:
        found.append(Difference("device", ".device", f"index {wanted.device}", str(value.device)))


def _sizes(wanted: Wanted, value: Any) -> list[Difference]:
    found: list[Difference] = []
    for i, (want, have) in enumerate(zip(wanted.size, value.shape, strict=False)):
        if want is not None and want != have:
            found.append(Difference("size", f".shape[{i}]", str(want), str(have)))
    if value.layout != _strided():
        return found
    for i, (want, have) in enumerate(zip(wanted.stride, value.stride(), strict=False)):
        if want is not None and want != have:
            found.append(Difference("stride", f".stride()[{i}]", str(want), str(have)))
    return found


def _strided() -> Any:
    import torch

    return torch.strided


def _key_difference(wanted: str, have: str) -> tuple[str, str]:
    """Only the dispatch keys that differ: the sets themselves run over a line."""
    a, b = wanted.split(", "), have.split(", ")
    only_a = [k for k in a if k not in b]
    only_b = [k for k in b if k not in a]
    if only_a == ["ADInplaceOrView", "AutogradCPU"][: len(only_a)] and only_a and not only_b:
        return "made outside inference mode", "made under inference mode"
    return (
        "dispatch keys with " + (", ".join(only_a) or "no more"),
        "with " + ", ".join(only_b) if only_b else "without",
    )
