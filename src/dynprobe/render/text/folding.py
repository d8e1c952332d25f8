"""Folding of guards that say the same of many objects: `self.layers[*].weight ×24`."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from dynprobe.report import Guard, GuardKind

_NUMBER = re.compile(r"(?<=\[)\d+(?=\])|(?<=\.)\d+(?=\.|$|\[)")
_ARGUMENT = re.compile(r"(?!self\b)[^\W\d]\w*(?:\[.*|\.(?:shape|stride|dtype|device|size)\b.*)?")
_NO_PARAMETER = re.compile(r"\._(?:parameters|buffers)\['\w+'\] is None")
_FIRST: tuple[GuardKind, ...] = (
    "size", "symbolic", "value", "length", "dict_keys", "tensor", "dtype", "rank", "stride",
    "requires_grad", "identity", "attribute", "lifetime", "aliasing", "device", "layout", "type",
)  # fmt: skip
"""What makes functions recompile in practice comes first."""
_FIXED: tuple[GuardKind, ...] = (
    "tensor", "dtype", "rank", "stride", "requires_grad", "device", "layout", "type",
)  # fmt: skip


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
    """The guards, those of the call's arguments first and the likeliest to fail first, folded
    only as far as `room` lines ask for: not at all, else where only an index in the source
    differs, else where the last name is the same."""
    ordered = sorted(guards, key=_order)
    arguments = [Group.alone(guard) for guard in ordered if _of_argument(guard)]
    others = [guard for guard in ordered if not _of_argument(guard)]
    if len(arguments) > room // 2:
        arguments, others = [], ordered
    folded = [_fold(others, key) for key in _FOLDS]
    left = room - len(arguments)
    # The last fold says least: it is worth that only where all then fits.
    fitting = next((groups for groups in folded if len(groups) <= left), folded[-2])
    return arguments + fitting


def _order(guard: Guard) -> tuple[bool, bool, int]:
    """Arguments, then the state of objects, then what only reflection reaches (`__dict__`)."""
    return not _of_argument(guard), "__" in guard.source, _rank(guard.kind)


def can_vary(guard: Guard) -> bool:
    """Whether it holds a value, a size or an identity that programs change from call to call; not
    what an attribute's class or a parameter's shape is, nor that a module has none of a name."""
    if _of_argument(guard) or guard.root == "kept":
        return True
    return guard.kind not in _FIXED and not _NO_PARAMETER.search(guard.text)


def _of_argument(guard: Guard) -> bool:
    return _ARGUMENT.fullmatch(guard.source) is not None


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


_FOLDS: tuple[Callable[[Guard], Hashable], ...] = (
    lambda guard: (guard.source, guard.kind, guard.condition),
    lambda guard: (pattern(guard.source), guard.kind, guard.condition),
    lambda guard: (pattern(guard.source), guard.kind),
    lambda guard: (_last_name(guard.source), guard.kind),
)
