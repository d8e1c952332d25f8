"""The dispatch keys of a tensor guard, in words: where the tensor lives, its layout, what is put
off, and the inference mode of the process, which takes keys off every tensor that is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...report import GuardKind
from .taps import dispatch_keys

_DEVICES = {"CPU": "cpu", "CUDA": "cuda", "XPU": "xpu", "MPS": "mps", "Meta": "meta", "HPU": "hpu"}
_LAYOUTS = {
    "SparseCsr": "sparse compressed", "Sparse": "sparse_coo", "Mkldnn": "mkldnn",
    "Quantized": "quantized", "NestedTensor": "nested",
}  # fmt: skip
_MARKS = {
    "Conjugate": "conjugated lazily",
    "Negative": "negated lazily",
    "ZeroTensor": "a zero tensor",
    "Python": "a tensor subclass",
    "FuncTorchBatched": "batched by vmap",
    "FuncTorchGradWrapper": "wrapped by grad",
}

_PLAIN = {"Tensor", "Parameter", "Buffer"}


class Difference(NamedTuple):
    kind: GuardKind
    suffix: str  # appended to the source: "", ".shape[0]", ".stride()[1]"
    expected: str
    actual: str


def key_differences(wanted: str, value: Any, cls: str = "Tensor") -> list[Difference]:
    """`wanted` as torch writes it: `CPU, BackendSelect, ADInplaceOrView, AutogradCPU`; `cls` is the
    class that is wanted. What the keys of autocast tell is left to the guard of the process's
    state, which knows more of it."""
    want = wanted.split(", ")
    have = dispatch_keys(value).removeprefix("DispatchKeySet(").removesuffix(")").split(", ")
    found: list[Difference] = []
    then, now = _device(want), value.device.type
    if then is not None and then != now:
        found.append(Difference("device", ".device", then, str(value.device)))
    if (layout := _layout(want)) != _layout(have):
        found.append(Difference("layout", ".layout", layout, _layout_now(have, value)))
    found.extend(_marks(want, have, _mark_words(cls, value)))
    found.extend(_inference(want, have, value))
    return found or list(_others(want, have))


def _device(keys: list[str]) -> str | None:
    for key in keys:
        bare = next((key.removeprefix(name) for name in _LAYOUTS if key.startswith(name)), key)
        if bare in _DEVICES:
            return _DEVICES[bare]
    return None


def _layout(keys: list[str]) -> str:
    found = (said for key in keys for name, said in _LAYOUTS.items() if key.startswith(name))
    return next(found, "strided")


def _layout_now(keys: list[str], value: Any) -> str:
    """By torch's own name where it has one: a quantized tensor is strided to it."""
    own = str(value.layout).removeprefix("torch.").removeprefix("_")
    return _layout(keys) if own == "strided" else own


def _mark_words(cls: str, value: Any) -> dict[str, str]:
    """A dispatch mode that is active gives its key to every tensor that is looked at: where the
    class is torch's own on both sides, the key is not of the tensor."""
    if {cls, type(value).__qualname__} <= _PLAIN:
        return {**_MARKS, "Python": "under a torch dispatch mode"}
    return _MARKS


def _marks(want: list[str], have: list[str], words: dict[str, str]) -> Iterator[Difference]:
    for key, said in words.items():
        if key in want and key not in have:
            yield Difference("tensor", "", said, f"not {said}")
        if key in have and key not in want:
            yield Difference("tensor", "", f"not {said}", said)


def _inference(want: list[str], have: list[str], value: Any) -> Iterator[Difference]:
    then, now = (any(k.startswith("Autograd") for k in keys) for keys in (want, have))
    if then and not now and value.is_inference():
        yield Difference("tensor", "", "made outside inference mode", "made under inference mode")
    elif then and not now:
        yield Difference("grad_mode", "", "off", "on")
    elif now and not then:
        yield Difference("tensor", "", "of inference mode", "not of inference mode")


def _others(want: list[str], have: list[str]) -> Iterator[Difference]:
    """Keys that have no words of their own."""
    gone = [k for k in want if k not in have and not k.startswith("Auto")]
    new = [k for k in have if k not in want and not k.startswith("Auto")]
    if gone or new:
        yield Difference(
            "tensor", "",
            "dispatch keys with " + (", ".join(gone) or "no more"),
            "with " + ", ".join(new) if new else "without",
        )  # fmt: skip
