"""Whether two values are the same: held to `torch.testing.assert_close` and to Python."""

from __future__ import annotations

import collections
import dataclasses
import math

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.testing._comparison import default_tolerances

from dynprobe.observe.compare.nodes import Node
from dynprobe.observe.compare.same import Compared, Parting
from dynprobe.observe.compare.tensors import Budget
from dynprobe.observe.compare.walk import Walker


def node(value: object) -> Node:
    budget = Budget()
    budget.begin_call()
    return Walker(budget).node(value)


def partings(eager: object, compiled: object) -> list[Parting]:
    one, two = node(eager), node(compiled)
    return list(Compared([one], [two]).partings(one, two))


def close(eager: torch.Tensor, compiled: torch.Tensor) -> bool:
    try:
        torch.testing.assert_close(compiled, eager, equal_nan=True)
    except AssertionError:
        return False
    return True


FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(FLOATS),
    st.lists(st.floats(-1e4, 1e4, width=16), min_size=1, max_size=4),
    st.sampled_from([0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1.0]),
)
def test_tolerance_is_that_of_torch_testing(dtype, values, off):
    eager = torch.tensor(values, dtype=dtype)
    compiled = (eager.double() * (1 + off) + off / 10).to(dtype)
    rtol, atol = default_tolerances(dtype)
    allowed = (compiled.double() - eager.double()).abs() / (atol + rtol * eager.double().abs())
    assume(not bool(((allowed > 0.9) & (allowed < 1.1)).any()))  # torch rounds in the dtype itself
    assert (partings(eager, compiled) == []) == close(eager, compiled)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.complex32])
@pytest.mark.parametrize("off", [0.0, 1e-6, 1e-2])
def test_complex_numbers(dtype, off):
    eager = torch.tensor([1 + 2j, 3j], dtype=dtype)
    compiled = torch.tensor([1 + off + 2j, 3j], dtype=dtype)
    assert (partings(eager, compiled) == []) == close(eager.cfloat(), compiled.cfloat()) or (
        dtype is torch.complex128
    )


def test_nan_equals_nan_and_infinities_their_like():
    special = torch.tensor([math.nan, math.inf, -math.inf])
    assert partings(special, special.clone()) == []
    [parting] = partings(special, torch.tensor([math.nan, math.inf, math.inf]))
    assert parting.numbers.differ == 1
    assert partings(math.nan, math.nan) == []


def test_how_far_they_are_apart():
    [parting] = partings(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([1.0, 3.0, 2.0]))
    numbers = parting.numbers
    assert (numbers.largest, numbers.relative, numbers.differ, numbers.of) == (2.0, 0.5, 2, 3)


@pytest.mark.parametrize(
    ("eager", "compiled", "said"),
    [
        (torch.ones(2), torch.ones(3), ("f32[2]", "f32[3]")),
        (torch.ones(2), torch.ones(2).double(), ("f32[2]", "f64[2]")),
        (torch.ones(2), torch.ones(2, requires_grad=True), ("f32[2]", "f32[2] grad")),
        (torch.ones(2), None, ("f32[2] [1, 1]", "None")),
        (1, 1.0, ("1", "1.0")),
        (True, 1, ("True", "1")),
        ((1,), [1], ("(1,)", "[1]")),
        ([1], [1, 2], ("[1]", "[1, 2]")),
        ({1}, {2}, ("1", "2")),
    ],
)
def test_types_shapes_and_lengths_come_first(eager, compiled, said):
    parting = partings(eager, compiled)[0]
    assert (parting.left, parting.right) == said


@dataclasses.dataclass
class Out:
    loss: object
    rest: object = None


Pair = collections.namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("eager", "compiled", "path"),
    [
        ([1, {"k": torch.ones(1)}], [1, {"k": torch.zeros(1)}], "[1]['k']"),
        (Out(1, [2, 3]), Out(1, [2, 4]), ".rest[1]"),
        (Pair(1, 2), Pair(1, 3), ".b"),
        ({"a": 1}, {"b": 1}, "['a']"),
        (collections.deque([1, 2]), collections.deque([1, 5]), "[1]"),
    ],
)
def test_the_path_to_the_first_difference(eager, compiled, path):
    assert partings(eager, compiled)[0].path == path


def test_the_order_of_keys_is_told_only_where_the_values_are_the_same():
    [parting] = partings({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert (parting.left, parting.right) == ("keys 'a', 'b'", "keys 'b', 'a'")


def test_values_in_a_circle():
    def circle(last):
        made = [1]
        made += [made, last]
        return made

    assert partings(circle(2), circle(2)) == []
    assert [parting.path for parting in partings(circle(2), circle(3))] == ["[2]"]


def test_one_object_twice_is_as_two_equal_ones():
    shared = torch.ones(2)
    assert partings([shared, shared], [torch.ones(2), torch.ones(2)]) == []
    assert partings([shared, shared], [torch.ones(2), torch.zeros(2)])[0].path == "[1]"


def test_integers_beyond_floats_and_long_texts():
    assert partings(10**5000, 10**5000 + 1) != []
    assert partings(2**70, 2**70 + 1) != []
    assert partings("a" * 9000, "a" * 8999 + "b") != []
    assert partings("a" * 9000, "a" * 9000) == []
    assert partings(torch.tensor([2**62]), torch.tensor([2**62 + 1])) != []


def test_a_tensor_over_the_budget_is_compared_by_its_sum_and_then_by_a_sample(monkeypatch):
    monkeypatch.setattr("dynprobe.observe.compare.tensors.PER_CALL", 1000)
    eager = torch.zeros(100_000)
    assert partings(eager, eager.clone()) == []
    one, two = node(eager), node(eager + 1)
    assert one.data.values is None
    both = Compared([one], [two])
    [parting] = both.partings(one, two)
    assert parting.numbers.largest == 1.0
    slight = eager.clone()
    slight[17] = 1e-9
    one, two = node(eager), node(slight)
    both = Compared([one], [two])
    assert list(both.partings(one, two)) == []
    assert both.unsure == "of f32[100000] a sample was compared"


@pytest.mark.parametrize(
    "value",
    [
        torch.eye(3).to_sparse(),
        torch.eye(3).to_sparse_csr(),
        torch.ones(3, dtype=torch.bfloat16),
        torch.ones(3).to(torch.float8_e4m3fn),
        torch.ones(3, dtype=torch.uint16),
        torch.ones(2, 3).t(),
        torch.tensor(3),
        torch.ones(0),
        torch.empty(3, device="meta"),
    ],
    ids=str,
)
def test_every_kind_of_tensor_is_the_same_as_itself(value):
    one, two = node(value), node(value.clone())
    both = Compared([one], [two])
    assert list(both.partings(one, two)) == []
    assert both.unsure is None


def test_another_value_of_each_kind_differs():
    assert partings(torch.eye(3).to_sparse(), 2 * torch.eye(3).to_sparse()) != []
    assert partings(torch.ones(3).bfloat16(), torch.full((3,), 1.5).bfloat16()) != []
    assert partings(torch.ones(3, dtype=torch.uint16), torch.zeros(3, dtype=torch.uint16)) != []
