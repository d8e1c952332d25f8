"""What entries accept together, in words: pure, from guards and symbols."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynprobe.diagnose.accepts import accepts
from dynprobe.diagnose.accepts.intervals import common, covers, union, without
from dynprobe.report import Accepts, DynamicDim, Entry, Frame, Guard, GuardKind, Origin, Report

ends = st.one_of(st.none(), st.integers(-9, 9))
intervals = st.tuples(ends, ends).filter(
    lambda pair: None in pair or pair[0] <= pair[1]  # type: ignore[operator]
)


def guard(source: str, kind: GuardKind, condition: str, origin: Origin = "user", **more) -> Guard:
    return Guard(source=source, kind=kind, condition=condition, origin=origin, **more)


def value(source: str, said: str) -> Guard:
    return guard(source, "value", f"== {said}", value=said, root="argument")


def tensor(source: str, *sizes: int | None, dtype: str = "f32", text_of: str = "Tensor") -> Guard:
    told = ",".join("*" if s is None else str(s) for s in sizes)
    strides = ", ".join(["1"] * len(sizes))
    text = (
        f"check_tensor(L['{source}'], {text_of}, DispatchKeySet(CPU, AutogradCPU), torch.float32, "
        f"device=None, requires_grad=False, size=[], stride=[{strides}])"
    )
    return guard(source, "tensor", f"{dtype}[{told}]", sizes=sizes, text=text, root="argument")


def entry(number: int, *guards: Guard, dims: tuple[DynamicDim, ...] = ()) -> Entry:
    return Entry(
        compile_id=f"0/{number}", call=number, guards=guards, graph=None, dynamic_dims=dims
    )


def rows(canonical: Report, *entries: Entry, state="compiled", **settings) -> dict[str, Accepts]:
    frame = Frame(key=0, function="f", file="f.py", line=1, state=state, entries=entries)
    told = canonical.settings.model_copy(update={"recompile_limit": 8, **settings})
    report = canonical.model_copy(update={"frames": (frame,), "settings": told})
    return {row.source: row for row in accepts(report)}


def text(canonical: Report, source: str, *guards: Guard, **settings) -> str:
    """Of a source to which each guard is one entry's."""
    entries = [entry(i, one) for i, one in enumerate(guards)]
    return rows(canonical, *entries, **settings)[source].text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["4"], "4 only"),
        (["5", "4"], "4 or 5"),
        (["'sin'", "'cos'"], "'sin' or 'cos'"),
        (["None", "3", "'a'"], "None, 3 or 'a'"),
        (["True", "1"], "True or 1"),
        ([str(i) for i in range(7)], "0, 1, 2, 3, 4, 5 or 6"),
        (["'" + "a" * 99 + "'"], "'" + "a" * 58 + "… only"),
    ],
)
def test_values(canonical: Report, said: list[str], expected: str) -> None:
    assert text(canonical, "k", *(value("k", v) for v in said)) == expected


def test_many_values_are_counted(canonical: Report) -> None:
    guards = [value("k", f"'{i}'") for i in range(12)]
    assert text(canonical, "k", *guards, recompile_limit=99).endswith("'7' or 4 more")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2, None, "any size ≥ 2; 0 and 1 recompile"),
        (3, None, "any size ≥ 3"),
        (2, 3, "2 or 3"),
        (2, 9, "2 to 9"),
        (0, None, "any size"),
        (7, 7, "7"),
    ],
)
def test_ranges_of_a_size(canonical: Report, low: int, high: int | None, expected: str) -> None:
    bound = guard("x.shape[0]", "symbolic", "a range", low=low, high=high)
    found = rows(canonical, entry(0, tensor("x", None), bound))["x.shape[0]"]
    assert found.text == expected
    assert found.ranges == ((low, high),)


def test_the_range_of_a_symbol_counts_too(canonical: Report) -> None:
    """A size that must equal another one has no range of its own among the guards."""
    dim = DynamicDim(source="y", dim=0, symbol="s0", low=4, high=None)
    found = rows(canonical, entry(0, tensor("y", None), dims=(dim,)))["y.shape[0]"]
    assert found.text == "any size ≥ 4"


def test_what_the_graph_itself_asserts_is_no_guard(canonical: Report) -> None:
    dim = DynamicDim(source="x", dim=0, symbol="u0", low=4, high=9, reason="unbacked")
    found = rows(canonical, entry(0, tensor("x", None), dims=(dim,)))["x.shape[0]"]
    assert found.text == "any size"


def test_a_size_beyond_the_range(canonical: Report) -> None:
    bound = guard("x.shape[0]", "symbolic", "≥ 2", low=2)
    found = rows(canonical, entry(0, tensor("x", 1)), entry(1, tensor("x", None), bound))
    row = found["x.shape[0]"]
    assert (row.text, row.values, row.ranges) == (
        "any size ≥ 1; 0 recompiles", ("1",), ((2, None),),
    )  # fmt: skip


def test_a_strict_bound_of_a_float(canonical: Report) -> None:
    kind = guard("k", "type", "is a float")
    low = guard("k", "symbolic", "k > 0.5", low=nextafter(0.5, inf))
    high = guard("k", "symbolic", "k < 0.75", high=nextafter(0.75, -inf))
    assert rows(canonical, entry(0, kind, low))["k"].text == "any float > 0.5"
    assert rows(canonical, entry(0, kind, high))["k"].text == "any float < 0.75"


@pytest.mark.parametrize(
    ("state", "limit", "fullgraph", "expected"),
    [
        ("compiled", 8, False, "4 only"),
        ("compiled", 1, False, "4 only; any other runs eagerly"),
        ("limit", 8, False, "4 only; any other runs eagerly"),
        ("limit", 8, True, "4 only; any other raises"),
        ("compiled", None, False, "4 only"),
    ],
)
def test_what_happens_otherwise(canonical: Report, state, limit, fullgraph, expected) -> None:
    found = rows(
        canonical, entry(0, value("k", "4")), state=state, recompile_limit=limit,
        fullgraph=fullgraph,
    )  # fmt: skip
    assert found["k"].text == expected


def test_a_skipped_frame_has_no_row(canonical: Report) -> None:
    assert rows(canonical, entry(0, value("k", "4")), state="skipped") == {}


def test_an_entry_that_does_not_look(canonical: Report) -> None:
    row = rows(canonical, entry(0, value("k", "4")), entry(1, value("mode", "'sin'")))["k"]
    assert row.any_value
    assert row.text == "4; 0/1 does not look at it"


def test_what_is_none_has_no_parts(canonical: Report) -> None:
    found = rows(canonical, entry(0, value("m", "None")), entry(1, tensor("m", 4)))
    assert found["m"].text == "None or a tensor of 1 dimension"
    assert (found["m.shape[0]"].text, found["m.shape[0]"].entries) == ("4 only", ("0/1",))
    assert found["m.dtype"].text == "f32 only"


def test_only_the_users_guards(canonical: Report) -> None:
    own = guard("torch.sin", "identity", "is the same function", "library")
    assert rows(canonical, entry(0, own)) == {}


def test_the_class_of_a_submodule_is_no_news(canonical: Report) -> None:
    kinds = [guard(f"self.layers[{i}]", "type", "is a Linear") for i in range(9)]
    assert list(rows(canonical, entry(0, *kinds, value("self.depth", "3")))) == ["self.depth"]


def test_a_parameter_has_one_row(canonical: Report) -> None:
    found = rows(canonical, entry(0, tensor("w", 4, 4, text_of="Parameter")))
    assert [(row.source, row.kind, row.values) for row in found.values()] == [
        ("w", "tensor", ("f32[4,4]",))
    ]


def test_a_report_without_sizes_claims_none(canonical: Report) -> None:
    """Those of a version that did not keep them."""
    found = rows(canonical, entry(0, guard("x", "tensor", "f32[4]")))
    assert {row.source: row.text for row in found.values()} == {"x": "f32[4] only"}


def test_conditions_of_a_source_among_others(canonical: Report) -> None:
    """`x` is not `xx`, nor `self.x`."""
    both = guard("xx.shape[0], x.shape[0]", "symbolic", "xx.shape[0] <= 2*x.shape[0]")
    mine = guard("y.shape[0], x.shape[0]", "symbolic", "y.shape[0] == x.shape[0]")
    sizes = [tensor(name, None) for name in ("x", "xx", "y")]
    found = rows(canonical, entry(0, *sizes, both, mine))
    assert found["x.shape[0]"].conditions == ("xx.shape[0] <= 2*x.shape[0]", "== y.shape[0]")
    assert found["xx.shape[0]"].conditions == ("xx.shape[0] <= 2*x.shape[0]",)
    assert found["y.shape[0]"].conditions == ("== x.shape[0]",)


def test_a_condition_that_another_entry_does_not_ask_for(canonical: Report) -> None:
    tie = guard("y.shape[0], x.shape[0]", "symbolic", "y.shape[0] == x.shape[0]")
    low = guard("x.shape[0]", "symbolic", "≥ 2", low=2)
    x, y = tensor("x", None), tensor("y", None)
    found = rows(canonical, entry(0, x, y, low, tie), entry(1, x, y, low))
    assert found["x.shape[0]"].text == "any size ≥ 2; 0 and 1 recompile"


def holds(parts, number: int) -> bool:
    return any((a is None or a <= number) and (b is None or number <= b) for a, b in parts)


@given(st.lists(intervals, max_size=5))
def test_a_union_has_the_same_numbers(parts) -> None:
    found = union(parts)
    for number in range(-12, 13):
        assert covers(found, number) == holds(parts, number)
    for (_, high), (low, _) in pairwise(found):
        assert high is not None
        assert low is not None
        assert high + 1 < low


@given(intervals, intervals)
def test_what_is_common(a, b) -> None:
    found = common(a, b)
    for number in range(-12, 13):
        both = holds([a], number) and holds([b], number)
        assert holds([found] if found else [], number) == both


@given(intervals, st.lists(st.integers(-9, 9), max_size=4))
def test_less_single_numbers(part, points) -> None:
    found = without(part, points)
    for number in range(-12, 13):
        assert holds(found, number) == (holds([part], number) and number not in points)
