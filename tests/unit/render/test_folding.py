"""Which guards share a line, and which come first."""

from __future__ import annotations

from dynprobe.render.text.folding import grouped, pattern
from dynprobe.report import Guard, GuardKind


def guard(source: str, kind: GuardKind = "value", condition: str = "== 1") -> Guard:
    return Guard(source=source, kind=kind, condition=condition, origin="user")


def lines(guards: list[Guard], room: int) -> list[tuple[str, int]]:
    return [(group.source, group.size) for group in grouped(guards, room)]


LAYERS = [guard(f"self.layers[{n}].{name}") for n in range(3) for name in ("p", "q")]


def test_what_fits_is_not_folded() -> None:
    assert [source for source, _ in lines(LAYERS, 6)] == [g.source for g in LAYERS]


def test_only_an_index_differs() -> None:
    assert lines(LAYERS, 5) == [("self.layers[*].p", 3), ("self.layers[*].q", 3)]


def test_different_conditions_are_said_to_differ() -> None:
    guards = [guard(f"self.layers[{n}].p", condition=f"== {n}") for n in range(3)]
    (group,) = grouped(guards, 1)
    assert (group.size, group.differ) == (3, True)


def test_the_last_name_is_the_last_resort() -> None:
    guards = [guard(f"self.{name}.weight") for name in "abc"]
    assert lines(guards, 1) == [("….weight", 3)]
    assert len(lines([*guards, guard("self.x"), guard("self.y")], 1)) == 5  # it would not help


def test_arguments_come_first_and_are_not_folded() -> None:
    guards = [*LAYERS, guard("x.shape[0]", "size"), guard("x.shape[1]", "size"), guard("x")]
    assert lines(guards, 6)[:3] == [("x.shape[0]", 1), ("x.shape[1]", 1), ("x", 1)]


def test_what_only_reflection_reaches_comes_last() -> None:
    guards = [guard("type(self).__dict__"), guard("self.n", "type")]
    assert [source for source, _ in lines(guards, 9)] == ["self.n", "type(self).__dict__"]


def test_pattern() -> None:
    assert pattern("self.layers[3].norm2.weight") == "self.layers[*].norm2.weight"
    assert pattern("self.layers.3.weight") == "self.layers.*.weight"
    assert pattern("batch['x1'][0]") == "batch['x1'][*]"
