"""What a guard's text accepts, as data."""

from __future__ import annotations

from math import inf, nextafter

import pytest

from dynprobe.observe.dynamo.accepted import range_of, value_of
from dynprobe.observe.dynamo.guards import split_part
from dynprobe.observe.dynamo.places import Places
from dynprobe.observe.dynamo.records import LeafGuard

SIZE = "L['x'].size()[0]"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"2 <= {SIZE}", (2, None)),
        (f"{SIZE} <= 9", (None, 9)),
        (f"2 <= {SIZE} <= 9", (2, 9)),
        (f"{SIZE} > 3", (4, None)),
        (f"3 < {SIZE} < 9", (4, 8)),
        (f"9 >= {SIZE}", (None, 9)),
        (f"{SIZE} == 6", (6, 6)),
        (f"-3 <= {SIZE}", (-3, None)),
        (f"{SIZE} != 7", (None, None)),
        (f"({SIZE} % 2) == 0", (None, None)),
        (f"{SIZE} <= {SIZE}", (None, None)),
        (f"2*{SIZE} <= 9", (None, None)),
        (f"{SIZE} <= L['y'].size()[0]", (None, None)),
        ("not a condition at all (", (None, None)),
    ],
)
def test_ranges(code: str, expected: tuple[int | None, int | None]) -> None:
    assert range_of(code, SIZE, is_float=False) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("L['k'] > 0.5", (nextafter(0.5, inf), None)),
        ("L['k'] < 2", (None, nextafter(2.0, -inf))),
        ("L['k'] <= 0.75", (None, 0.75)),
    ],
)
def test_the_next_float_is_the_end_of_a_strict_bound(code, expected) -> None:
    assert range_of(code, "L['k']", is_float=True) == expected


@pytest.mark.parametrize(
    ("kind", "source", "code", "expected"),
    [
        ("EQUALS_MATCH", "L['k']", "L['k'] == 4", "4"),
        ("EQUALS_MATCH", "L['k']", "L['k'] == 'a == b'", "'a == b'"),
        ("NONE_MATCH", "L['m']", "L['m'] is None", "None"),
        ("EQUALS_MATCH", "L['self'].training", "L['self'].training == True", "True"),
        ("LENGTH_CHECK", "L['l']", "len(L['l']) == 3", "3"),
        ("LENGTH_CHECK", "L['l']", "not L['l']", "0"),
        ("FLOAT_IS_NAN", "L['f']", "__math_isnan(L['f'])", "nan"),
        ("TYPE_MATCH", "L['k']", "___check_type_id(L['k'], 1)", None),
    ],
)
def test_values(kind: str, source: str, code: str, expected: str | None) -> None:
    assert value_of(LeafGuard(source, kind, (code,), None), code) == expected


@pytest.mark.parametrize("value", ["'a'", "'a  # b'", '"it\'s  # here"', "'  # '"])
def test_a_value_that_looks_like_torchs_own_remark(value: str) -> None:
    text = f"L['mode'] == {value}      # if mode == 1:  # nets/a.py:19 in h"
    part = split_part(text, Places(None))
    assert part.code == f"L['mode'] == {value}"
    assert part.where is not None
    assert (part.where.line, part.where.function) == (19, "h")
