"""What a guard wants of a tensor besides its sizes, read off torch's own text."""

from __future__ import annotations

import re
from typing import NamedTuple

from dynprobe.report import Guard

_TEXT = re.compile(
    r"check_tensor\(.*?, (?P<cls>[\w.]+), DispatchKeySet\((?P<keys>[^)]*)\), torch\.\w+, "
    r"device=(?P<device>\w+), requires_grad=(?P<grad>\w+), size=\[.*?\], "
    r"stride=\[(?P<stride>.*?)\]\)"
)
_DEVICES = {"CPU": "cpu", "CUDA": "cuda", "XPU": "xpu", "MPS": "mps", "Meta": "meta"}
_STATE = re.compile(r"\._(?:parameters|buffers)\[")


class Wanted(NamedTuple):
    """`stride` holds None where the guard alone takes any. `is_state`: a parameter or buffer of a
    module."""

    dtype: str
    device: str | None
    requires_grad: bool
    stride: tuple[int | None, ...]
    is_state: bool


def wanted(guard: Guard) -> Wanted | None:
    """None where the text is not one that torch writes."""
    match = _TEXT.match(guard.text)
    if match is None:
        return None
    return Wanted(
        dtype=guard.condition.partition("[")[0],
        device=_device(match["keys"], match["device"]),
        requires_grad=match["grad"] == "True",
        stride=tuple(int(t) if t.strip().isdigit() else None for t in _items(match["stride"])),
        is_state=match["cls"] == "Parameter" or bool(_STATE.search(guard.text)),
    )


def _items(text: str) -> list[str]:
    return [item for item in text.split(",") if item.strip()]


def _device(keys: str, index: str) -> str | None:
    kind = next((_DEVICES[key] for key in keys.split(", ") if key in _DEVICES), None)
    return f"{kind}:{index}" if kind and index.isdigit() else kind
