"""Folding of guards that say the same of many objects: `self.layers[*].weight ×24`."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from dynprobe.report import Guard, GuardKind

_NUMBER = re.compile(r"(?<=\[)\d+(?=\])|(?<=\.)\d+(?=\.|$|\[)")
_FIRST: tuple[GuardKind, ...] = (
    "size", "symbolic", "value", "dtype", "rank", "stride", "requires_grad", "identity", "length",
    "dict_keys", "attribute", "lifetime", "aliasing", "device", "layout", "tensor", "type",
)  # fmt: skip
"""What makes functions recompile in practice comes first."""


@dataclass(frozen=True, slots=True)
class Group:
    """Guards told on one line. `differ`: their conditions are not all the same."""

    source: str
    guard: Guard
    size: int
    differ: bool

    @classmethod
    def alone(cls, guard: Guard) -> Group:
        return cls(guard.source, guard, 1, False)


def grouped(guards: Sequence[Guard], room: int) -> list[Group]:
    """The guards, likeliest to fail first, folded only as far as `room` lines ask for: not at
    all, else where only an index in the source differs, else where the last name is the same."""
    ordered = sorted(guards, key=lambda guard: _rank(guard.kind))
    folds: tuple[Callable[[Guard], Hashable], ...] = (
        lambda guard: (guard.source, guard.kind, guard.condition),
        lambda guard: (pattern(guard.source), guard.kind, guard.condition),
        lambda guard: (pattern(guard.source), guard.kind),
        lambda guard: (_last_name(guard.source), guard.kind),
    )
    groups: list[Group] = []
    for key in folds:
        groups = _fold(ordered, key)
        if len(groups) <= room:
            break
    return groups


def _rank(kind: GuardKind) -> int:
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)


def pattern(source: str) -> str:
    """`self.layers[3].weight` → `self.layers[*].weight`; `self.layers.3.weight` likewise."""
    return _NUMBER.sub("*", source)


def _last_name(source: str) -> str:
    return pattern(source).rpartition(".")[2]


def _fold(guards: Sequence[Guard], key: Callable[[Guard], Hashable]) -> list[Group]:
    alike: dict[Hashable, list[Guard]] = {}
    for guard in guards:
        alike.setdefault(key(guard), []).append(guard)
    return [_group(members) for members in alike.values()]


def _group(members: list[Guard]) -> Group:
    sources = list(dict.fromkeys(guard.source for guard in members))
    patterns = list(dict.fromkeys(map(pattern, sources)))
    source = sources[0]
    if len(sources) > 1:
        source = patterns[0] if len(patterns) == 1 else f"….{_last_name(sources[0])}"
    differ = len({guard.condition for guard in members}) > 1
    return Group(source, members[0], len(members), differ)
