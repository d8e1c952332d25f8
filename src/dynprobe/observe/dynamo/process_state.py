"""GLOBAL_STATE: which part of the process's state a guard wants otherwise than it is now."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ...report import GuardKind
from .taps import global_state

_STATE: dict[str, tuple[GuardKind, str]] = {
    "grad_mode": ("grad_mode", "grad mode"),
    "autocast_state": ("autocast", "autocast"),
    "default_dtype": ("global_state", "default dtype"),
    "num_threads": ("global_state", "number of threads"),
    "deterministic_algorithms": ("global_state", "deterministic algorithms"),
    "torch_function": ("function_mode", "torch function"),
}


class StateDifference(NamedTuple):
    source: str
    kind: GuardKind
    expected: str
    actual: str


def state_differences(text: str) -> list[StateDifference]:
    """`text` is the guard's own: it ends in the state it was made in, as JSON."""
    try:
        wanted = json.loads(text.partition(" against ")[2])
        have = json.loads(global_state())
    except ValueError:
        return [StateDifference("global state", "global_state", "as captured", "changed")]
    found = []
    for name, value in wanted.items():
        if value != have.get(name):
            kind, said = _STATE.get(name, ("global_state", name.replace("_", " ")))
            found.append(StateDifference(said, kind, *_state_words(value, have.get(name))))
    return found


def _state_words(wanted: Any, have: Any) -> tuple[str, str]:
    if isinstance(wanted, dict) and isinstance(have, dict):
        changed = [k for k in wanted if wanted[k] != have.get(k)]
        on = any(have.get("enabled") or [])
        if "enabled" in changed:
            return ("off", "on") if on else ("on", "off")
        return "as captured", "changed: " + ", ".join(changed)
    words = {True: "on", False: "off"}
    if isinstance(wanted, bool) and isinstance(have, bool):
        return words[wanted], words[have]
    return str(wanted), str(have)
