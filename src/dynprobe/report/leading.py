"""Which of the guards that failed together lead, and which only follow from another of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from .guards import FailedGuard, GuardKind

# What follows from what leads, of one source: a tensor's strides, and guards on its sizes together,
# from its sizes; a Parameter's requires_grad from its class; that it is no other argument, where it
# is no tensor any more or another object.
_FOLLOWS: dict[GuardKind, tuple[GuardKind, ...]] = {
    "stride": ("size", "rank", "type"),
    "symbolic": ("size", "rank", "type"),
    "requires_grad": ("type",),
    "aliasing": ("type", "value", "identity"),
}
_REPLACED: tuple[GuardKind, ...] = ("type", "identity", "lifetime")  # an object by another
_BASE = "._base"  # a view is guarded with the tensor it views
_SIZE = re.compile(r"[\w.\[\]'\"]+\.shape\[\d+\]")
_LENGTH = re.compile(r"len\((?:global |closure )?(.*)\)", re.DOTALL)


def leading(failed: Sequence[FailedGuard]) -> Iterator[FailedGuard]:
    """`failed` without those that only follow from another of them."""
    kinds: dict[str, set[GuardKind]] = {}
    for row in failed:
        kinds.setdefault(tensor_name(row.source), set()).add(row.kind)
    replaced = [row.source for row in failed if row.kind in _REPLACED]
    resized = [match[1] for row in failed if (match := _LENGTH.fullmatch(row.source))]
    for row in failed:
        if not (
            _follows(row, kinds)
            or any(_hangs(row.source, other) for other in replaced)
            or (_is_gone(row) and any(_hangs(bare(row.source), other) for other in resized))
        ):
            yield row


def distance(failed: Sequence[FailedGuard]) -> int:
    """How far an entry is from matching: how many things differ. Several conditions on one size
    are one thing, and so is one that speaks of a size that differs anyway."""
    met: set[str] = set()
    for row in leading(failed):
        subjects = set(_SIZE.findall(row.source)) or {row.source}
        if not met & subjects:
            met.add(min(subjects))
    return len(met)


def _hangs(source: str, other: str) -> bool:
    """Whether `source` is read off `other`, or off its class."""
    return bool(re.search(rf"(?:^|\(){re.escape(other)}[.\[)]", source)) and source != other


def _is_gone(row: FailedGuard) -> bool:
    """An item beyond the length that its list now has."""
    return row.kind == "length" and row.actual == "missing"


def bare(source: str) -> str:
    """Without what it is: as lengths and conditions write it."""
    return source.removeprefix("global ").removeprefix("closure ")


def _follows(row: FailedGuard, kinds: Mapping[str, set[GuardKind]]) -> bool:
    name = tensor_name(row.source)
    if name.endswith(_BASE):
        return name.removesuffix(_BASE) in kinds
    return bool(kinds[name].intersection(_FOLLOWS.get(row.kind, ())))


def tensor_name(source: str) -> str:
    """`x` of `x.shape[0]`, `x.stride()[1]`, `x.dtype`."""
    for part in (".shape[", ".stride()[", ".dtype", ".device", ".requires_grad"):
        head, found, _ = source.rpartition(part)
        if found:
            return head
    return source
