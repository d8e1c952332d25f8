"""Guards that fail on the way to their value: a key, an item or an attribute that is not there.

torch's guard tree reaches values step by step; where a step fails the entry does not match, though
no leaf guard was asked. Its text names the step (`KeyError on L['d']['a']`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ...report import GuardKind

_PLAIN = re.compile(r"[LG]\['[^']+'\](?:\[[^\]()]+\]|\.(?!__)\w+)*")
_KINDS: dict[type[Exception], GuardKind] = {
    KeyError: "dict_keys",
    IndexError: "length",
    AttributeError: "attribute",
}
_SAYS = ("KeyError on", "IndexError on", "getattr failed", "Accessor", "failed on source")
NOT_THERE = tuple(_KINDS)


class Lost(NamedTuple):
    """A source whose value is not there. `kind` says what is missing."""

    source: str
    kind: GuardKind


def lost_steps(failed: Mapping[str, Exception], below: set[str], *, only_plain: bool) -> list[Lost]:
    """The first step that failed on each way: not what hangs on it, nor on a value of another
    type (`below`). With `only_plain`, steps that the user's own code takes."""
    found: list[Lost] = []
    for source in sorted(failed, key=len):
        before = [*below, *(lost.source for lost in found)]
        if any(source != other and hangs_on(source, other) for other in before):
            continue
        if only_plain and not _PLAIN.fullmatch(source):
            continue
        found.append(Lost(source, _kind(failed[source])))
    return found


def hangs_on(source: str, other: str) -> bool:
    """Whether `source` is `other` or is reached through it; `d.kind` is not through `d.k`."""
    start = source.find(other)
    after = source[start + len(other) :]
    return start >= 0 and not re.match(r"\w", after)


def _kind(error: Exception) -> GuardKind:
    return next((kind for cls, kind in _KINDS.items() if isinstance(error, cls)), "other")


def says_lost(says: str) -> bool:
    """Whether torch's text is about a step and not about a guard."""
    return any(part in says for part in _SAYS)
