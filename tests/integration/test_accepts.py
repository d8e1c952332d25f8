"""What `Report.accepts` says before a call, held to what torch does on it: dynprobe observes some
calls, then the same calls and one more are made without it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch._dynamo.decorators import mark_unbacked
from torch._dynamo.testing import CompileCounter

import dynprobe
from dynprobe.report import Accepts, Report

ones = torch.ones
Args = dict[str, Any]


class Case(NamedTuple):
    """`target` and `calls` make them anew. `tries` are values of one source: how the row would
    call each, and the argument that has it (or `(name, value)` of what is set before the call)."""

    target: Callable[[], Any]
    calls: list[Args]
    source: str
    tries: list[tuple[str | int | float, Any]]
    argument: str | None = None
    text: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012
    limit: int | None = None


def observed(case: Case) -> Report:
    torch._dynamo.reset()
    target, calls = case.target(), [((), fresh(args)) for args in case.calls]
    report = dynprobe.explain(target, calls, recompile_limit=case.limit, **case.options)
    assert report.unknown == ()
    return report


def row_of(report: Report, source: str) -> Accepts:
    (row,) = [row for row in report.accepts if row.source == source]
    return row


def takes(row: Accepts, said: str | int | float) -> bool:
    """Whether the row accepts a value: as it would be told, or a number."""
    if row.any_value or str(said) in row.values:
        return True
    if isinstance(said, str) or (isinstance(said, float) and "any float" not in row.text):
        return False
    if isinstance(said, int) and "any float" in row.text:
        return False
    return any(
        (low is None or low <= said) and (high is None or said <= high) for low, high in row.ranges
    )


def fresh(args: Args) -> Args:
    """Of their own: marks on a tensor stay with it."""
    return {name: value() if callable(value) else value for name, value in args.items()}


def hits(case: Case, last: Callable[[Any, Args], Args]) -> bool:
    """Whether torch itself runs a call on a graph that it has, after the calls of the case, with
    `last` in the place of one of them."""
    return any(_hits(case, earlier, last) for earlier in case.calls)


def _hits(case: Case, earlier: Args, last: Callable[[Any, Args], Args]) -> bool:
    torch._dynamo.reset()
    counter, runs = CompileCounter(), []

    def backend(module, inputs):
        compiled = counter(module, inputs)

        def run(*values):
            runs.append(1)
            return compiled(*values)

        return run

    target = case.target()
    compiled = torch.compile(target, backend=backend, **case.options)
    patch = {"recompile_limit": case.limit} if case.limit else {}
    with torch._dynamo.config.patch(**patch):
        for args in case.calls:
            compiled(**fresh(args))
        graphs, ran = counter.frame_count, len(runs)
        args = last(target, fresh(earlier))
        try:
            compiled(**args)
        except Exception:
            return False
    return counter.frame_count == graphs and len(runs) > ran


def set_argument(case: Case, value: Any) -> Callable[[Any, Args], Args]:
    def last(target: Any, args: Args) -> Args:
        if case.argument is None:
            value(target)
            return args
        new = value() if callable(value) else value
        if new is MISSING:
            return {name: old for name, old in args.items() if name != case.argument}
        return {**args, case.argument: new}

    return last


MISSING = object()
SCALE = 2


def sizes(tries: Iterable[int], *rest: int) -> list[tuple[int, Any]]:
    return [(n, lambda n=n: ones(n, *rest)) for n in tries]


def x(*shape: int, **how: Any) -> Callable[[], torch.Tensor]:
    return lambda: ones(*shape, **how)


def sine(x):
    return x.sin()


def above(x):
    return x.sin() if x.shape[0] > 3 else x.cos()


def between(x):
    return x.sin() if 3 < x.shape[0] <= 6 else x.cos()


def but_seven(x):
    return x.sin() if x.shape[0] != 7 else x.cos()


def becomes_six(x):
    return x.sin() if x.shape[0] == 6 else x.cos()


def by_mode(x, mode="sin", k=1, limit=0.5, flag=True, mask=None):
    if mask is not None:
        x = x + mask
    if limit > 0.5:
        x = x * limit
    if flag:
        x = x * k
    return x.sin() if mode == "sin" else x.cos()


def floor(x, k):
    return x + 1 if k >= 3 else x - k


def long(x, items):
    return x + len(items)


def third(x, items):
    return x * items[2] if len(items) > 2 else x + 1


def keyed(x, **kw):
    return x * kw["scale"] if "scale" in kw else x.sin()


def key_of(x, table):
    return x * table["a"] if "a" in table else x.sin()


def by_global(x):
    return x * SCALE


def closed():
    factor = 2

    def inner(x):
        return x * factor

    return inner


class Config:
    def __init__(self):
        self.k = 2


def configured():
    config = Config()

    def inner(x):
        return x * config.k if not hasattr(config, "off") else x.sin()

    return inner


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.depth = 2

    def forward(self, x):
        x = self.inner(x)
        return x * self.depth if self.training else x


def unbacked() -> torch.Tensor:
    value = ones(4, 3)
    mark_unbacked(value, 0)
    return value


def set_global(value):
    return lambda _: setattr(sys.modules[__name__], "SCALE", value)


def set_cell(value):
    return lambda target: setattr(target.__closure__[0], "cell_contents", value)


def set_config(name, value):
    return lambda target: setattr(target.__closure__[0].cell_contents, name, value)


def set_on(name, value):
    return lambda target: setattr(target, name, value)


def shared(**cases: Case) -> list[Any]:
    return [pytest.param(case, id=name) for name, case in cases.items()]


SIZES = shared(
    one_size=Case(lambda: sine, [{"x": x(4)}], "x.shape[0]", sizes(range(7)), "x", "4 only"),
    two_sizes=Case(
        lambda: sine, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(8)), "x",
        "any size ≥ 2; 0 and 1 recompile",
    ),
    one_and_more=Case(
        lambda: sine, [{"x": x(n)} for n in (4, 5, 1)], "x.shape[0]", sizes(range(7)), "x",
        "any size ≥ 1; 0 recompiles",
    ),
    the_other_dim=Case(
        lambda: sine, [{"x": x(4, 3)}, {"x": x(5, 3)}], "x.shape[1]",
        [(n, x(4, n)) for n in range(6)], "x", "3 only",
    ),
    a_branch=Case(
        lambda: above, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(8)), "x",
        "any size ≥ 4",
    ),
    both_sides_of_it=Case(
        lambda: above, [{"x": x(n)} for n in (4, 5, 2)], "x.shape[0]", sizes(range(8)), "x",
        "any size ≥ 2; 0 and 1 recompile",
    ),
    two_ends=Case(
        lambda: between, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(10)), "x", "4 to 6"
    ),
    a_hole=Case(
        lambda: but_seven, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(10)), "x",
        "any size ≥ 2 but 7; 0 and 1 recompile",
    ),
    made_a_constant=Case(
        lambda: becomes_six, [{"x": x(4)}, {"x": x(6)}], "x.shape[0]", sizes(range(9)), "x",
        "4 or 6",
    ),
    marked_unbacked=Case(
        lambda: sine, [{"x": unbacked}], "x.shape[0]", sizes(range(6), 3), "x", "any size"
    ),
    no_automatic=Case(
        lambda: sine, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(8)), "x", "4 or 5",
        {"dynamic": False},
    ),
    at_the_limit=Case(
        lambda: sine, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(8)), "x",
        "any size ≥ 2; 0 and 1 run eagerly", limit=2,
    ),
    static_at_the_limit=Case(
        lambda: sine, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", sizes(range(8)), "x",
        "4 or 5; any other runs eagerly", {"dynamic": False}, limit=2,
    ),
)  # fmt: skip

TENSORS = shared(
    dtype=Case(
        lambda: sine, [{"x": x(4)}, {"x": x(4, dtype=torch.float64)}], "x.dtype",
        [("f32", x(4)), ("f64", x(4, dtype=torch.float64)), ("f16", x(4, dtype=torch.float16))],
        "x", "f32 or f64",
    ),
    gradient=Case(
        lambda: sine, [{"x": x(4)}], "x.requires_grad",
        [("False", x(4)), ("True", x(4, requires_grad=True))], "x", "False only",
    ),
    rank=Case(
        lambda: sine, [{"x": x(4)}, {"x": x(4, 4)}], "x",
        [("1", x(4)), ("2", x(4, 4)), ("3", x(4, 4, 4))], "x", "1 or 2 dimensions",
    ),
    device=Case(
        lambda: sine, [{"x": x(4)}], "x.device", [("cpu", x(4)), ("meta", x(4, device="meta"))],
        "x", "cpu only",
    ),
    strides=Case(
        lambda: sine, [{"x": x(4, 4)}], "x.stride()",
        [("contiguous", x(4, 4)), ("(1, 4)", lambda: ones(4, 4).t())], "x", "contiguous only",
    ),
    both_strides=Case(
        lambda: sine, [{"x": x(4, 4)}, {"x": lambda: ones(4, 4).t()}], "x.stride()",
        [("contiguous", x(4, 4)), ("(1, ≥ 2)", lambda: ones(4, 4).t()),
         ("(8, 2)", lambda: ones(4, 8)[:, ::2])], "x", "contiguous or (1, ≥ 2)",
    ),
    none_or_a_tensor=Case(
        lambda: by_mode, [{"x": x(4)}, {"x": x(4), "mask": x(4)}], "mask",
        [("None", None), ("a tensor of 1 dimension", x(4)), ("a tensor of 2 dimensions", x(4, 4)),
         ("3", 3)], "mask", "None or a tensor of 1 dimension",
    ),
    a_size_of_what_may_be_none=Case(
        lambda: by_mode, [{"x": x(4)}, {"x": x(4), "mask": x(4)}], "mask.shape[0]",
        sizes([0, 1, 4, 5]), "mask", "4 only",
    ),
)  # fmt: skip

VALUES = shared(
    strings=Case(
        lambda: by_mode, [{"x": x(4), "mode": m} for m in ("sin", "cos")], "mode",
        [(repr(m), m) for m in ("sin", "cos", "tan", "")], "mode", "'sin' or 'cos'",
    ),
    booleans=Case(
        lambda: by_mode, [{"x": x(4), "flag": False}], "flag",
        [("False", False), ("True", True), (0, 0)], "flag", "False only",
    ),
    one_int=Case(
        lambda: by_mode, [{"x": x(4), "k": 2}], "k",
        [(n, n) for n in (0, 1, 2, 3)] + [(2.0, 2.0), ("True", True)], "k", "2 only",
    ),
    two_ints=Case(
        lambda: by_mode, [{"x": x(4), "k": 2}, {"x": x(4), "k": 3}], "k",
        [(n, n) for n in (-1, 0, 1, 2, 9)] + [(2.5, 2.5), ("True", True)], "k", "any int",
    ),
    ints_from_three=Case(
        lambda: floor, [{"x": x(4), "k": 3}, {"x": x(4), "k": 5}], "k",
        [(n, n) for n in (0, 1, 2, 3, 4, 9)], "k", "any int ≥ 3",
    ),
    two_floats=Case(
        lambda: by_mode, [{"x": x(4), "limit": 0.6}, {"x": x(4), "limit": 0.75}], "limit",
        [(v, v) for v in (0.5, 0.5000000000000001, 0.6, 3.5, -1.0)] + [(2, 2)], "limit",
        "any float > 0.5",
    ),
    not_looked_at=Case(
        lambda: by_mode, [{"x": x(4), "k": 2}, {"x": x(4), "flag": False}], "k",
        [(n, n) for n in (0, 2, 3)], "k", "2; 0/1 does not look at it",
    ),
    a_length=Case(
        lambda: long, [{"x": x(4), "items": [1, 2]}, {"x": x(4), "items": [1]}], "len(items)",
        [(n, [1] * n) for n in range(4)], "items", "1 or 2",
    ),
    a_type=Case(
        lambda: long, [{"x": x(4), "items": [1, 2]}], "items",
        [("a list", [1, 2]), ("a tuple", (1, 2))], "items", "a list",
    ),
    an_item=Case(
        lambda: third, [{"x": x(4), "items": [1, 1, 7]}, {"x": x(4), "items": [1]}], "items[2]",
        [(n, [1, 1, n]) for n in (6, 7)], "items", "7 only",
    ),
    a_key_by_name=Case(
        lambda: keyed, [{"x": x(4)}, {"x": x(4), "scale": 2.0}], "scale",
        [("missing", MISSING), (2.0, 2.0), (3.0, 3.0)], "scale", "missing or 2.0",
    ),
    a_key=Case(
        lambda: key_of, [{"x": x(4), "table": {}}, {"x": x(4), "table": {"a": 2.0}}],
        "table['a']", [("missing", {}), (2.0, {"a": 2.0}), (3.0, {"a": 3.0})], "table",
        "missing or 2.0",
    ),
    a_global=Case(
        lambda: by_global, [{"x": x(4)}], "global SCALE",
        [(n, set_global(n)) for n in (2, 3)], None, "2 only",
    ),
    a_closure=Case(
        closed, [{"x": x(4)}], "closure factor", [(n, set_cell(n)) for n in (2, 3)], None, "2 only"
    ),
    an_attribute=Case(
        configured, [{"x": x(4)}], "closure config.k",
        [(n, set_config("k", n)) for n in (2, 3)], None, "2 only",
    ),
    an_attribute_that_is_not_there=Case(
        configured, [{"x": x(4)}], "closure config.off",
        [("missing", lambda target: None), (3, set_config("off", 3))], None, "missing only",
    ),
    a_modules_mode=Case(
        Net, [{"x": x(2, 4)}], "self.training",
        [("True", set_on("training", True)), ("False", set_on("training", False))], None,
        "True only",
    ),
    a_modules_number=Case(
        Net, [{"x": x(2, 4)}], "self.depth", [(n, set_on("depth", n)) for n in (2, 3)], None,
        "2 only",
    ),
)  # fmt: skip


@pytest.fixture(autouse=True)
def kept():
    yield
    sys.modules[__name__].SCALE = 2
    torch._dynamo.reset()


@pytest.mark.parametrize("case", [*SIZES, *TENSORS, *VALUES])
def test_it_is_what_torch_does(case: Case) -> None:
    row = row_of(observed(case), case.source)
    assert row.text == case.text
    said = [(value, takes(row, value)) for value, _ in case.tries]
    done = [(value, hits(case, set_argument(case, made))) for value, made in case.tries]
    assert said == done
    assert any(hit for _, hit in done)


def add(x, y):
    return x + y


def rows(x, y, w):
    return torch.cat([x, y], 1) @ w


def test_sizes_that_must_be_equal_say_so() -> None:
    case = Case(lambda: add, [{"x": x(4), "y": x(4)}, {"x": x(5), "y": x(5)}], "", [])
    report = observed(case)
    row = row_of(report, "x.shape[0]")
    assert row.text == "4; or any size ≥ 2 that equals y.shape[0]; 0 and 1 recompile"
    assert row.conditions == ("== y.shape[0]",)
    assert row_of(report, "y.shape[0]").conditions == ("== x.shape[0]",)
    together = {n: hits(case, lambda t, a, n=n: {"x": ones(n), "y": ones(n)}) for n in range(7)}
    assert together == {n: n >= 2 for n in range(7)}
    assert not hits(case, lambda t, a: {"x": ones(6), "y": ones(7, 6)})


def test_a_size_that_two_others_make() -> None:
    calls = [{"x": x(4, a), "y": x(4, b), "w": x(a + b, 6)} for a, b in ((2, 3), (3, 4))]
    case = Case(lambda: rows, calls, "", [])
    row = row_of(observed(case), "w.shape[0]")
    assert row.text == "5; or any size ≥ 4 that equals x.shape[1] + y.shape[1]"
    made = {"x": ones(4, 5), "y": ones(4, 6), "w": ones(11, 6)}
    assert hits(case, lambda t, a: made)


def test_a_condition_on_one_size_is_told_as_torch_has_it() -> None:
    def even(x):
        return x.sin() if x.shape[0] % 2 == 0 else x.cos()

    case = Case(lambda: even, [{"x": x(4)}, {"x": x(6)}], "x.shape[0]", [])
    row = row_of(observed(case), "x.shape[0]")
    assert row.text == "4; or any size ≥ 2 where (x.shape[0] % 2) == 0; 0 and 1 recompile"
    done = {n: hits(case, lambda t, a, n=n: {"x": ones(n)}) for n in range(2, 9)}
    assert done == {n: n % 2 == 0 for n in range(2, 9)}


def test_a_frame_given_up_has_no_row() -> None:
    def loops(x):
        for _ in range(2):
            torch._dynamo.graph_break()
            x = x + 1
        return x

    report = observed(Case(lambda: loops, [{"x": x(4)}], "", []))
    assert [f.state for f in report.frames if f.function.endswith("loops")] == ["skipped"]
    assert not [row for row in report.accepts if row.function.endswith("loops")]


def test_with_fullgraph_the_limit_raises() -> None:
    case = Case(lambda: sine, [{"x": x(4)}, {"x": x(5)}], "x.shape[0]", [], limit=1,
                options={"dynamic": False, "fullgraph": True})  # fmt: skip
    report = observed(case)
    assert row_of(report, "x.shape[0]").text == "4 only; any other raises"
    assert report.calls[1].error is not None


def test_every_guard_that_failed_has_a_row_that_takes_it_now() -> None:
    """What a recompile was for is accepted after it."""
    calls = [
        {"x": x(4), "mode": "sin"}, {"x": x(5), "mode": "sin"}, {"x": x(5, 2), "mode": "sin"},
        {"x": x(5), "mode": "cos"}, {"x": x(5, dtype=torch.float64), "mode": "sin"},
        {"x": x(5, requires_grad=True), "mode": "sin", "k": 3},
    ]  # fmt: skip
    report = observed(Case(lambda: by_mode, calls, "", []))
    failed = [g for r in report.recompiles for a in r.against for g in a.failed]
    assert {g.kind for g in failed} >= {"size", "rank", "value", "dtype", "requires_grad"}
    for guard in failed:
        if guard.kind in ("size", "value", "dtype", "requires_grad"):
            row = row_of(report, guard.source)
            now = int(guard.actual) if guard.actual.isdigit() else guard.actual
            assert takes(row, now), (guard.source, guard.actual, row.text)


shapes = st.tuples(st.integers(0, 6), st.integers(0, 4))


def branches(x):
    y = x.sin() if x.shape[0] > 3 else x.cos()
    return y + 1 if x.shape[1] == 2 else y


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(shapes, min_size=1, max_size=4), st.integers(0, 7), st.integers(0, 1))
def test_any_sizes(seen, number, dim) -> None:
    case = Case(lambda: branches, [{"x": x(*shape)} for shape in seen], f"x.shape[{dim}]", [])
    row = row_of(observed(case), case.source)
    changed = [tuple(number if i == dim else s for i, s in enumerate(shape)) for shape in seen]
    done = any(_hits(case, case.calls[0], lambda t, a, s=s: {"x": ones(*s)}) for s in changed)
    assert takes(row, number) == done, (row.text, seen, number)
