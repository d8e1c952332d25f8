"""Numbers of calls and entries, as a person reads them."""

from __future__ import annotations

import pytest

from dynprobe.diagnose.words import entries_in_words, in_figures, in_words


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([3], "call 3"),
        ([0, 1], "calls 0, 1"),
        ([0, 1, 2], "calls 0–2"),
        ([0, 1, 2, 5, 7, 8], "calls 0–2, 5, 7, 8"),
        ([4, 3, 2], "calls 4, 3, 2"),
        (range(200), "calls 0–199"),
        (range(0, 40, 2), "calls 0, 2, 4, 6, 8, 10, 12, 14 and 12 more"),
    ],
)
def test_numbers_that_follow_one_another_are_told_by_their_ends(
    numbers: list[int], said: str
) -> None:
    assert in_words(numbers, "call") == said


def test_what_is_left_is_counted_in_numbers_not_in_pieces() -> None:
    assert in_figures([1, 3, *range(10, 20)], most=2) == "1, 3 and 10 more"
    assert in_figures([1, 3, *range(10, 20)]) == "1, 3, 10–19"


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["0/2"], "0/2"),
        (["0/2", "0/1", "0/0"], "0/0–0/2"),
        (["1/0", "0/10", "0/9", "0/11"], "0/9–0/11, 1/0"),
        (["0/0", "0/0", "0/1"], "0/0, 0/1"),
        (["?", "0/3", "0/1"], "0/1, 0/3, ?"),
        (["!0/1", "0/1_1", ""], "!0/1, 0/1_1, "),
    ],
)
def test_entries_are_told_in_their_order(ids: list[str], said: str) -> None:
    assert entries_in_words(ids) == said
