"""Guards of the process's state: which part of it a guard wants otherwise than it is now."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...report import GuardKind
from .records import LeafGuard
from .taps import (
    default_device,
    forward_ad_level,
    function_modes,
    functorch_levels,
    global_state,
    is_device_mode,
    wanted_function_modes,
)

_STATE: dict[str, tuple[GuardKind, str]] = {
    "grad_mode": ("grad_mode", "grad mode"),
    "default_dtype": ("global_state", "default dtype"),
    "num_threads": ("global_state", "number of threads"),
    "torch_function": ("function_mode", "torch function"),
    "torch_function_all_disabled": ("function_mode", "torch function switched off for all"),
}
# The order of c10's ScalarType, in which torch writes dtypes here; those that can be a default or
# an autocast dtype.
_SCALAR_TYPES = {5: "f16", 6: "f32", 7: "f64", 15: "bf16"}
# The order of at::autocast::_AUTOCAST_SUPPORTED_DEVICES (aten/src/ATen/autocast_mode.h).
_AUTOCAST_DEVICES = (
    "cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps",
)  # fmt: skip
_STATE_OF_MODE = re.compile(r"___get_torch_function_mode_stack_at\(\d+\)\.device")
_DEVICE = re.compile(r"device\(type='(\w+)'(?:, index=(\d+))?\)")
_LEVEL = re.compile(r"\('(\w+)'")
_FUNCTORCH = "compare_functorch_state("
_FORWARD_AD = "torch.autograd.forward_ad."
_SAVED_HOOKS = "top_saved_tensors_hooks"


class StateDifference(NamedTuple):
    source: str
    kind: GuardKind
    expected: str
    actual: str


def is_state(leaf: LeafGuard) -> bool:
    """Whether a guard is of the process's state and of no value of the frame's."""
    if leaf.source != "L":
        return _STATE_OF_MODE.fullmatch(leaf.source) is not None
    text = leaf.parts[0]
    own = text.startswith(_FORWARD_AD) or _FUNCTORCH in text or _SAVED_HOOKS in text
    return leaf.kind in _TELLS or own


def state_differences(leaf: LeafGuard, manager: Any) -> list[StateDifference]:
    """What a guard of the state that does not hold wants, and what is so. `manager` is its
    entry's."""
    text = leaf.parts[0].partition("  # ")[0].strip()
    if leaf.kind == "TORCH_FUNCTION_MODE_STACK":
        return _function_modes(manager)
    if leaf.kind == "GLOBAL_STATE":
        return _global_state(text.partition(" against ")[2] or leaf.left_out)
    if leaf.kind == "DUAL_LEVEL_MATCH" or text.startswith(_FORWARD_AD):
        want = text.rpartition("== ")[2]
        return [_plain("forward-mode AD level", want, str(forward_ad_level()))]
    if _FUNCTORCH in text:
        want, have = _listed(_LEVEL.findall(text)), _listed(functorch_levels())
        return [_plain("function transforms", want, have)]
    if _SAVED_HOOKS in text:
        pair = ("none", "set") if text.endswith("== None") else ("as captured", "others or none")
        return [_plain("saved tensors hooks", *pair)]
    want = device_words(text.rpartition("== ")[2])
    return [StateDifference("default device", "default_device", want, _device_now())]


def _plain(source: str, expected: str, actual: str) -> StateDifference:
    return StateDifference(source, "global_state", expected, actual)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.lower() for name in names) or "none"


def device_words(text: str) -> str:
    """`device(type='cuda', index=0)` is `cuda:0`, `None` none."""
    match = _DEVICE.fullmatch(text.strip())
    if match is None:
        return "none" if text.strip() == "None" else text.strip()
    return match[1] + (f":{match[2]}" if match[2] else "")


def _device_now() -> str:
    device = default_device()
    if device is None:  # a mode's own, which does not set the process's
        mode = next((m for m in reversed(function_modes()) if is_device_mode(type(m))), None)
        device = getattr(mode, "device", None)
    return "none" if device is None else str(device)


def _function_modes(manager: Any) -> list[StateDifference]:
    have = [type(mode) for mode in function_modes()]
    want = wanted_function_modes(manager)
    if want is None:
        return [_modes("as captured", _class_names(have))]
    others = [[cls for cls in modes if not is_device_mode(cls)] for modes in (want, have)]
    found = []
    if others[0] != others[1]:
        found.append(_modes(_class_names(others[0]), _class_names(others[1])))
    if sum(map(is_device_mode, want)) != sum(map(is_device_mode, have)):
        expected = "set" if any(map(is_device_mode, want)) else "none"
        found.append(StateDifference("default device", "default_device", expected, _device_now()))
    return found or [_modes(_class_names(want), _class_names(have))]


def _modes(expected: str, actual: str) -> StateDifference:
    return StateDifference("torch function modes", "function_mode", expected, actual)


def _class_names(classes: Sequence[type]) -> str:
    return ", ".join(cls.__name__ for cls in classes) or "none"


def _global_state(captured: str) -> list[StateDifference]:
    """Against the state that the guard was made in, as JSON."""
    try:
        wanted = json.loads(captured)
        have = json.loads(global_state())
    except ValueError:
        return [_plain("global state", "as captured", "changed")]
    found: list[StateDifference] = []
    for name, value in wanted.items():
        now = have.get(name)
        if value == now:
            continue
        if isinstance(value, dict) and isinstance(now, dict):
            found.extend(_autocast(value, now))
        else:
            kind, said = _STATE.get(name, ("global_state", name.replace("_", " ")))
            words = _dtype if name == "default_dtype" else _word
            found.append(StateDifference(said, kind, words(value), words(now)))
    return found


def _word(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _dtype(number: Any) -> str:
    return _SCALAR_TYPES.get(number, f"dtype {number}")


def _autocast(wanted: dict[str, Any], have: dict[str, Any]) -> list[StateDifference]:
    found = []
    for what, words, said in (("enabled", _word, "autocast"), ("dtype", _dtype, "autocast dtype")):
        pairs = zip(wanted.get(what, ()), have.get(what, ()), strict=False)
        for index, (want, now) in enumerate(pairs):
            if want != now:
                on = _AUTOCAST_DEVICES[index] if index < len(_AUTOCAST_DEVICES) else str(index)
                source = said if on == "cpu" else f"{said} ({on})"
                found.append(StateDifference(source, "autocast", words(want), words(now)))
    cache = "cached_enabled"
    if wanted.get(cache) != have.get(cache):
        want, now = _word(wanted.get(cache)), _word(have.get(cache))
        found.append(StateDifference("autocast cache", "autocast", want, now))
    return found


_TELLS = ("GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "DUAL_LEVEL_MATCH")
