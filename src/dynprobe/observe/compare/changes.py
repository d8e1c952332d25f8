"""What a call changed besides its result, and that the compiled run left otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...report import Change
from .nodes import MISSING, Node
from .same import Compared, Parting
from .store import Record, Root

MOST = 20  # told of one call
_ADDRESS = re.compile(r"\b0x[0-9a-f]{4,}\b")  # of an object: another one in each process
_LONG = 200  # characters of a printed text


def changes(
    plain: Record, mine: Record, printed: tuple[str, str]
) -> tuple[tuple[Change, ...], str | None]:
    """Those of a call; and, where there are too many, how many more. `printed` is what the eager
    and the compiled call printed."""
    found = list(_of_state(plain, mine))
    eager, compiled = (_ADDRESS.sub("0x…", text) for text in printed)
    if eager != compiled:
        found.append(
            Change(kind="printed", what="printed", before=None, **_printed(eager, compiled))
        )
    more = f"{len(found) - MOST:,} more changes differ" if len(found) > MOST else None
    return tuple(found[:MOST]), more


def _of_state(plain: Record, mine: Record) -> Iterator[Change]:
    """Places that one of the two runs changed, and that are now not the same."""
    moved = {root.what: root for root in (*plain.after, *mine.after)}
    changed = {
        (what, part.path): part
        for record in (mine, plain)  # where both changed it, eager's own value before is told
        for what, part in _moves(record, moved)
    }
    whole = Compared(_after(plain), _after(mine))
    plain_now, mine_now = _now(plain), _now(mine)
    for what, root in moved.items():
        for part in whole.partings(plain_now.get(what, MISSING), mine_now.get(what, MISSING)):
            told = _related(changed, what, part.path)
            if told is not None:
                yield _change(root, part, told)


def moved_by(record: Record) -> Iterator[tuple[str, str, str, str]]:
    """What one run changed: the kind of place, its name, its value before and after in words."""
    roots = {root.what: root.kind for root in record.after}
    for what, part in _moves(record, roots):
        yield roots[what], f"{what}{part.path}", part.left, part.right


def _moves(record: Record, places: Iterable[str]) -> Iterator[tuple[str, Parting]]:
    """What one run changed."""
    before = {root.what: root.node for root in record.before}
    now = _now(record)
    pair = Compared(list(before.values()), list(now.values()))
    for what in places:
        for part in pair.partings(before.get(what, MISSING), now.get(what, MISSING)):
            yield what, part


def _after(record: Record) -> list[Node]:
    return list(_now(record).values())


def _now(record: Record) -> dict[str, Node]:
    """Each place after the call: what has no row there is as it was."""
    return {root.what: root.node for root in (*record.before, *record.after)}


def _related(changed: dict[tuple[str, str], Parting], what: str, path: str) -> Parting | None:
    """The change that one run made there, above or below."""
    for (root, at), part in changed.items():
        if root == what and (at.startswith(path) or path.startswith(at)):
            return part
    return None


def _change(root: Root, part: Parting, told: Parting) -> Change:
    kind = root.kind
    what = f"{root.what}{part.path}"
    if kind == "environment":
        what = f"environment {part.path.strip()}"
    return Change(
        kind=kind,
        what=what,
        before=told.left,
        eager=part.left,
        compiled=part.right,
    )


def _printed(eager: str, compiled: str) -> dict[str, str]:
    """From the line where they part."""
    one, two = eager.splitlines(), compiled.splitlines()
    at = next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )
    return {"eager": _line(one, at), "compiled": _line(two, at)}


def _line(lines: list[str], at: int) -> str:
    return lines[at][:_LONG] if at < len(lines) else "nothing"
