"""Sizes that are symbols, on real torch: why, in which range, what they must equal, and which of
them code made a constant. What is right is read off torch's own log of its symbols."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
import torch
from torch._dynamo.decorators import mark_unbacked

import dynprobe
from dynprobe.report import DynamicDim, Entry, Report

HERE = Path(__file__)
ones = torch.ones


def line_of(mark: str) -> int:
    """The line of this file that ends in a comment `mark`."""
    lines = HERE.read_text().splitlines()
    return next(i for i, text in enumerate(lines, 1) if text.endswith(f"# {mark}"))


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def explained(target, *calls, **options) -> Report:
    report = dynprobe.explain(target, [c if isinstance(c, tuple) else ((c,), {}) for c in calls],
                              **options)  # fmt: skip
    assert report.unknown == ()
    return report


def args(*values):
    return values, {}


def last(report: Report) -> Entry:
    return report.frames[0].entries[-1]


def dims(report: Report) -> dict[str, DynamicDim]:
    """By `x.shape[0]`, or the name of a number."""
    return {
        d.source if d.dim is None else f"{d.source}.shape[{d.dim}]": d
        for d in last(report).dynamic_dims
    }


def sine(x):
    return x.sin()


def add(x, y):
    return x + y  # added


def scaled(x, k, factor):
    return x * k * factor


def sums(x, y):
    return x.sum() + y.sum()


def above(x):
    return x.sin() if x.shape[0] > 3 else x.cos()


def test_automatic_tells_the_sizes_that_were_seen() -> None:
    report = explained(sine, ones(4, 3), ones(5, 3), ones(6, 3))
    assert list(dims(report)) == ["x.shape[0]"]
    assert dims(report)["x.shape[0]"].reason == "automatic: 4, then 5"


def test_automatic_tells_the_numbers_that_were_seen() -> None:
    report = explained(scaled, args(ones(4), 2, 0.5), args(ones(4), 3, 1.5))
    assert {name: dim.reason for name, dim in dims(report).items()} == {
        "k": "automatic: 2, then 3",
        "factor": "automatic: 0.5, then 1.5",
    }


def test_a_later_entry_keeps_the_reason() -> None:
    report = explained(above, ones(4), ones(5), ones(3))
    entries = report.frames[0].entries
    said = [(d.low, d.high, d.reason) for e in entries[1:] for d in e.dynamic_dims]
    assert said == [(4, None, "automatic: 4, then 5"), (2, 3, "automatic: 4, then 5")]


def test_another_number_of_dimensions_makes_every_size_a_symbol() -> None:
    report = explained(sine, ones(4), ones(5, 3))
    assert [d.reason for d in last(report).dynamic_dims] == ["automatic: 1, then 2 dimensions"] * 2


def test_a_dimension_that_came_later_has_a_reason_of_its_own() -> None:
    report = explained(sine, ones(4), ones(5), ones(5, 2))
    said = [(d.dim, d.reason) for d in last(report).dynamic_dims]
    assert said == [(0, "automatic: 4, then 5"), (1, "automatic: 1, then 2 dimensions")]


@pytest.mark.parametrize(
    ("mark", "reason", "low"),
    [
        (torch._dynamo.mark_dynamic, "marked", 2),
        (torch._dynamo.maybe_mark_dynamic, "marked", 2),
        (mark_unbacked, "unbacked", 0),
    ],
)
def test_marks(mark, reason, low) -> None:
    x = ones(4, 3)
    mark(x, 0)
    (dim,) = dims(explained(sine, x)).values()
    assert (dim.dim, dim.reason, dim.low, dim.high) == (0, reason, low, None)


def test_the_range_of_a_mark_is_kept() -> None:
    x = ones(4, 3)
    torch._dynamo.mark_dynamic(x, 0, min=3, max=9)
    (dim,) = dims(explained(sine, x)).values()
    assert (dim.low, dim.high) == (3, 9)


def test_dynamic_true() -> None:
    report = explained(sine, ones(4, 3), dynamic=True)
    assert {d.reason for d in last(report).dynamic_dims} == {"dynamic=True"}
    assert len(last(report).dynamic_dims) == 2


def test_a_source_named_in_dynamic_sources() -> None:
    with torch.compiler.config.patch(dynamic_sources="L['x']"):
        (dim,) = dims(explained(sine, ones(4))).values()
    assert dim.reason == "named in dynamic_sources"


def test_sizes_that_a_line_ties() -> None:
    report = explained(add, args(ones(4), ones(4)), args(ones(5), ones(5)))
    found = dims(report)
    assert found["x.shape[0]"].symbol == found["y.shape[0]"].symbol
    assert found["x.shape[0]"].tied == ("y.shape[0]",)
    assert found["y.shape[0]"].tied == ("x.shape[0]",)
    for dim in found.values():
        assert dim.tied_by == "code"
        assert (dim.tied_at.file, dim.tied_at.line) == (str(HERE), line_of("added"))


def test_sizes_that_happened_to_be_equal() -> None:
    calls = args(ones(4), ones(4)), args(ones(5), ones(6))
    report = explained(sums, calls[0], dynamic=True)
    (x, y) = dims(report).values()
    assert (x.tied, x.tied_by, x.tied_at) == (("y.shape[0]",), "duck sizing", None)
    assert y.tied == ("x.shape[0]",)
    # It is duck sizing and no line: without it torch takes the other sizes too.
    counts = []
    for duck in (True, False):
        torch._dynamo.reset()
        counter = torch._dynamo.testing.CompileCounter()
        with torch.fx.experimental._config.patch(use_duck_shape=duck):
            compiled = torch.compile(sums, backend=counter, dynamic=True)
            for values, _ in calls:
                compiled(*values)
        counts.append(counter.frame_count)
    assert counts == [2, 1]


def test_sizes_that_nothing_ties() -> None:
    report = explained(sums, args(ones(4), ones(4)), args(ones(5), ones(5)))
    assert {d.tied for d in dims(report).values()} == {()}


def test_a_size_made_of_two_others() -> None:
    def rows(x, y, w):
        return torch.cat([x, y], 1) @ w

    calls = [args(ones(4, a), ones(4, b), ones(a + b, 6)) for a, b in ((2, 3), (3, 4))]
    found = dims(explained(rows, *calls))
    w = found["w.shape[0]"]
    parts = {found["x.shape[1]"].symbol, found["y.shape[1]"].symbol}
    assert set(w.symbol.split(" + ")) == parts
    assert w.low == 4


def test_a_size_alone_that_a_graph_takes() -> None:
    def length(x, y):
        return y + x.shape[0]

    report = explained(length, args(ones(4), ones(3)), args(ones(5), ones(3)))
    assert list(dims(report)) == ["x.shape[0]"]


def asks(x):
    return int(x.shape[0]) + 1 if x.shape[0] == 6 else 1  # asked


def specialises(x):
    return x * asks(x)  # calls


def test_what_made_a_size_a_constant() -> None:
    report = explained(specialises, ones(4), ones(5), ones(6))
    (row,) = last(report).specialised
    assert (row.source, row.dim, row.value) == ("x", 0, 6)
    assert row.where.line == line_of("asked")
    assert [step.line for step in row.stack] == [line_of("calls"), line_of("asked")]
    assert dims(report) == {}
    assert logged_specialisations(specialises, ones(4), ones(5), ones(6)) == [
        ("L['x'].size()[0]", "6")
    ]


def logged_specialisations(target, *values) -> list[tuple[str, str]]:
    """What torch itself says it made a constant."""
    found: list[tuple[str, str]] = []
    logger = logging.getLogger("torch.fx.experimental.symbolic_shapes")

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            match = re.match(r"Specializing (\S+) to (\S+)", record.getMessage())
            if match:
                found.append((match[1], match[2]))

    handler = Keep()
    logger.addHandler(handler)
    torch._dynamo.reset()
    try:
        with torch.fx.experimental._config.patch(print_specializations=True):
            compiled = torch.compile(target, backend="eager")
            for value in values:
                compiled(value)
    finally:
        logger.removeHandler(handler)
    return found


def test_a_library_that_asks_is_named_with_the_users_line() -> None:
    layer = torch.nn.Linear(4, 3)

    def net(x):
        return layer(x)  # net

    (row,) = last(explained(net, ones(2, 4), dynamic=True)).specialised
    assert (row.source, row.dim, row.value) == ("x", 1, 4)
    assert row.where.line == line_of("net")
    assert row.stack[-1].file.endswith("linear.py")


def test_a_marked_size_that_code_makes_a_constant_names_the_line() -> None:
    x = ones(6)
    torch._dynamo.mark_dynamic(x, 0)
    error = explained(specialises, x).calls[0].error
    assert error.type.endswith("ConstraintViolationError")
    assert (error.where.file, error.where.line) == (str(HERE), line_of("asked"))


def test_what_is_gone_after_the_session() -> None:
    from torch._dynamo import pgo

    before = pgo.update_automatic_dynamic
    explained(sine, ones(4))
    assert pgo.update_automatic_dynamic is before
