"""What a rule asks of a break's place."""

from __future__ import annotations

import re

from dynprobe.report import GraphBreak

_FUNCTION = re.compile(
    r"<(?:cy|built-in )?function (?:[\w.]+\.<locals>\.)*(?P<name><lambda>|[\w.]+)"
)
_QUOTED = re.compile(r"`(?!torch\.compile`)(?:<unknown module>\.)?(?P<name>[\w.]+?)\.?`")
_OVERLOAD = re.compile(r"^aten\.(?P<name>\w+)(?:\.\w+)?$")


def is_kind(site: GraphBreak, *known: str) -> bool:
    """Whether it is of one of these kinds: GB ids, or how torch's name of the kind starts (for a
    torch whose registry has another id for it, or none)."""
    return site.gb_id in known or site.kind.startswith(known)


def code(site: GraphBreak) -> str:
    """The user's line, or an empty text."""
    return (site.near.text if site.near else site.code) or ""


def callee(site: GraphBreak) -> str:
    """What is called there, where torch's explanation names it (`time.time`, `print`, `nonzero`,
    `now`); otherwise an empty text."""
    if "_local_scalar_dense" in site.explanation:  # how torch names any number read out of a tensor
        return ""
    found = _FUNCTION.search(site.explanation) or _QUOTED.search(site.explanation)
    name = found["name"] if found else ""
    return _OVERLOAD.sub(r"\g<name>", name)


def is_call(site: GraphBreak, pattern: str) -> bool:
    """Whether what is called there matches a regular expression in full."""
    return re.fullmatch(pattern, callee(site)) is not None


def has_code(site: GraphBreak, pattern: str) -> bool:
    """Whether the user's line has a match of a regular expression."""
    return re.search(pattern, code(site)) is not None
