"""Counts in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

_RUN = 3  # numbers in a row that are told by the first and the last


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 call`, `1,000 calls`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def in_words(numbers: Sequence[int], noun: str, most: int = 8) -> str:
    """`call 3`, `calls 0, 3, 5`, `calls 0–7, 12`; of more than `most` such pieces, `calls 0, 2, 4
    and 5 more`."""
    return f"{noun if len(numbers) == 1 else noun + 's'} {in_figures(numbers, most)}"


def in_figures(numbers: Sequence[int], most: int | None = None) -> str:
    """`0–7, 12`; of more than `most` pieces, `0, 2, 4 and 5 more`."""
    pieces = list(_pieces(numbers))
    left = 0 if most is None else sum(map(len, pieces[most:]))
    more = f" and {left:,} more" if left else ""
    return ", ".join(map(_piece, pieces[:most])) + more


def entries_in_words(ids: Sequence[str], most: int = 8) -> str:
    """Compile ids, in the order of their frames and numbers: `0/0–0/7, 1/2`."""
    keys = sorted(dict.fromkeys(ids), key=_numbers)
    frames: dict[str, list[int]] = {}
    odd = [key for key in keys if not _numbers(key)]
    for key in keys:
        if key not in odd:
            frame, _, number = key.rpartition("/")
            frames.setdefault(frame, []).append(int(number))
    said = [
        "–".join(f"{frame}/{number}" for number in ends)
        for frame, numbers in frames.items()
        for ends in map(_ends, _pieces(numbers))
    ] + odd
    more = f" and {len(said) - most:,} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more


def _numbers(compile_id: str) -> tuple[int, ...]:
    """`12/3` → (12, 3); nothing for an id of another form."""
    parts = compile_id.split("/")
    return tuple(map(int, parts)) if len(parts) == 2 and all(p.isdecimal() for p in parts) else ()


def _pieces(numbers: Iterable[int]) -> Iterator[list[int]]:
    """Runs of at least `_RUN` numbers that follow one another; the others singly."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield from [run] if len(run) >= _RUN else [[one] for one in run]
            run = []
        run.append(number)
    yield from [run] if len(run) >= _RUN else [[one] for one in run]


def _ends(run: Sequence[int]) -> Sequence[int]:
    return run if len(run) == 1 else (run[0], run[-1])


def _piece(run: Sequence[int]) -> str:
    return "–".join(map(str, _ends(run)))


def and_more(said: Sequence[str], total: int, noun: str) -> str:
    """`a, b and c`; `a, b and 3 others` where `total` is more than what is said."""
    left = total - len(said)
    if left > 0:
        return f"{', '.join(said)} and {count(left, noun)}"
    head, last = said[:-1], said[-1]
    return f"{', '.join(head)} and {last}" if head else last
