"""torch's message of a graph break, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .records import Inside, Registered
from .taps import registry

_END = r"(?=\n  Hint: |\n\s*\n  Developer debug context: |\n\n For more details|\Z)"
_EXPLANATION = re.compile(rf"\n  Explanation: (?P<text>.*?){_END}", re.S)
_HINT = re.compile(rf"\n  Hint: (?P<text>.*?){_END}", re.S)
_URL = re.compile(r"https?://\S+/gb/gb(?P<number>\d+)\S*")
_NESTED = re.compile(r"\n\n\*\*\* While handling this graph break.*?\*\*\*\n\n", re.S)
_MORE = re.compile(r"(?:\n|\A| )For more information about this error, see: (?P<url>\S+)")
_FIELD = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
_SENTENCE = re.compile(r"(?<=[.!?:])\s")
_INSIDE: dict[str, Inside] = {
    "graph break in loop": "loop",
    "Graph break under GenericContextWrappingVariable": "with",
    "Attempt to trace generator": "generator",
}
_CONSIDER = re.compile(r"(?P<hint>Consider [^\n]*?\.)\s+(?P<text>\S.*)", re.S)
_DEPENDENT = re.compile(r".*?\bdata-dependent expression\b")
_LONGEST_KIND = 120  # of a text without torch's form
_LONGEST_TEXT = 2_000


@dataclass(frozen=True)
class BreakText:
    """`inside` where the text itself says what keeps Dynamo from going on; `made_worse` is torch's
    own word of another reason why the whole frame was given up."""

    kind: str
    gb_id: str | None
    explanation: str
    hints: tuple[str, ...]
    url: str | None
    inside: Inside | None = None
    made_worse: str | None = None


@lru_cache(maxsize=1)
def _registry() -> dict[str, Registered]:
    return registry()


@lru_cache(maxsize=1)
def _templates() -> list[tuple[re.Pattern[str], Registered]]:
    """Kinds whose name has a part of the case's own."""
    return [
        (re.compile(".+".join(map(re.escape, _FIELD.split(kind)))), known)
        for kind, known in _registry().items()
        if _FIELD.search(kind)
    ]


def parse_break(text: str) -> BreakText:
    """A break's kind, GB id, explanation and hints: from its own text, else from the registry
    that ships with torch, else the text as it is. A message that holds two breaks (one met while
    handling the other) is the first one's; the second says why it got worse."""
    first, *later = _NESTED.split(text)
    first, advised = _advised(first)
    kind, rest = _kind(first)
    known = _known(kind)
    own = _EXPLANATION.search(first)
    hints = advised + tuple(_flat(m["text"]) for m in _HINT.finditer(first))
    url = _URL.search(first)
    more = _MORE.search(first)
    inside = (_INSIDE.get(_kind(t)[0]) for t in (first, *later))
    worse = next((_worse(t) for t in later if _kind(t)[0] not in _INSIDE), None)
    return BreakText(
        kind=kind,
        gb_id=f"GB{url['number']}" if url else known.gb_id if known else None,
        explanation=_flat(own["text"]) if own and own["text"].strip() else _said(known) or rest,
        hints=_useful_first(hints or _hinted(known)),
        url=url[0] if url else more["url"] if more else None,
        inside=next((found for found in inside if found), None),
        made_worse=worse,
    )


def _advised(text: str) -> tuple[str, tuple[str, ...]]:
    """A text that begins with what to do instead of what is wrong, and the advice apart."""
    found = _CONSIDER.match(text)
    return (found["text"], (found["hint"],)) if found else (text, ())


def _kind(text: str) -> tuple[str, str]:
    """The kind, and all that is said. A text without torch's form is named by its first sentence,
    as far as that is short."""
    said = _MORE.sub("", text).strip()
    head = said.partition("\n")[0].strip()
    if not head:
        return "Unknown graph break", "torch gives no reason."
    if "\n  Explanation:" in text or head in _registry():
        return head, _flat(said)[:_LONGEST_TEXT]
    same = _DEPENDENT.match(head)  # the expression after it is another one in each graph
    kind = same[0] if same else _SENTENCE.split(head, maxsplit=1)[0]
    if len(kind) > _LONGEST_KIND:
        kind = kind[:_LONGEST_KIND].rpartition(" ")[0] + "…"
    return kind.rstrip(".:"), _flat(said)[:_LONGEST_TEXT]


def _known(kind: str) -> Registered | None:
    found = _registry().get(kind)
    if found is None:
        found = next((known for form, known in _templates() if form.fullmatch(kind)), None)
    return found


def _said(known: Registered | None) -> str:
    """The registry's explanation, its holes told as such."""
    return _flat(_FIELD.sub("…", known.explanation)) if known else ""


def _hinted(known: Registered | None) -> tuple[str, ...]:
    return tuple(_flat(_FIELD.sub("…", hint)) for hint in known.hints) if known else ()


def _worse(text: str) -> str:
    explanation = _EXPLANATION.search(text)
    return _flat(explanation["text"]) if explanation else _kind(text)[0]


def _useful_first(hints: tuple[str, ...]) -> tuple[str, ...]:
    """What to write comes first, what only says how hard it is last; else torch's order."""
    return tuple(sorted(hints, key=_rank))


def _rank(hint: str) -> int:
    if hint.startswith("Use "):
        return 0
    return 2 if hint.startswith("This graph break") else 1


def _flat(text: str) -> str:
    """One paragraph; what follows an empty line (a listing) keeps its lines."""
    head, gap, rest = text.partition("\n\n")
    return " ".join(head.split()) + (gap + rest.rstrip() if gap and rest.strip() else "")
