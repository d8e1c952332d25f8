"""No value of the user's can break the walk, and none of the user's code runs in it."""

from __future__ import annotations

import enum
import functools
import random

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from dynprobe.observe.compare.nodes import below, shown
from dynprobe.observe.compare.store import Record, Root, load, save
from dynprobe.observe.compare.tensors import Budget, quietly
from dynprobe.observe.compare.walk import Walker

RAN = []


def ran(*_: object) -> object:
    RAN.append(1)
    raise RuntimeError("user code ran")


class Hostile:
    """Every way to look at it runs code that raises."""

    def __init__(self) -> None:
        object.__setattr__(self, "inside", 7)

    __getattribute__ = __eq__ = __repr__ = __str__ = __len__ = __iter__ = __bool__ = ran
    __hash__ = object.__hash__
    __class__ = property(ran)  # type: ignore[assignment]


class List(list):
    __iter__ = __len__ = __getitem__ = ran


class Dict(dict):
    __iter__ = items = keys = __getitem__ = __len__ = ran


class Slots:
    __slots__ = ("a", "b")


class Colour(enum.Enum):
    RED = 1
    __repr__ = ran


def node(value):
    budget = Budget()
    budget.begin_call()
    return Walker(budget).node(value)


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()
    yield
    assert RAN == []


def test_a_hostile_object_is_looked_into_all_the_same():
    found = node(Hostile())
    assert [(step, child.text) for step, child in found.items] == [(".inside", "7")]


@pytest.mark.parametrize("value", [List([1, 2]), Dict(a=1), Colour.RED, {1: Hostile()}])
def test_hostile_containers(value):
    assert node(value).kind in ("sequence", "mapping", "value")


def test_slots_and_those_that_are_not_set():
    value = Slots()
    value.a = 1
    assert [step for step, _ in node(value).items] == [".a"]


def test_bounds_cut_and_say_so():
    deep: list = []
    for _ in range(100):
        deep = [deep]
    budget = Budget()
    walker = Walker(budget)
    assert any(found.kind == "cut" for found in below(walker.node(deep)))
    assert walker.cuts == {"deeper than 32"}
    walker = Walker(budget)
    walker.node(list(range(20_000)))
    assert walker.cuts == {"more than 10,000 items"}


def test_no_mode_of_the_users_sees_it():
    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    value = torch.ones(3)
    with Mode(), quietly():
        node(value)
    assert seen == []
    with torch.device("meta"), quietly():
        assert node(value).data.values.tolist() == [1.0, 1.0, 1.0]


def test_a_tensor_of_a_class_that_answers_for_itself_is_not_asked():
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape)

        def __init__(self, inner):
            self.inner = inner

        __torch_dispatch__ = classmethod(lambda *_: ran())

    found = node(Wrapper(torch.ones(2)))
    assert found.data.values is None
    assert shown(dict(found.items)[".inner"]) == "f32[2] [1, 1]"


def test_a_module_is_as_the_user_sees_it():
    module = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
    module[0].register_forward_hook(nothing_ran)
    module.tag = "x"
    steps = dict(node(module).items)
    assert list(steps) == ["[0]", "[1]", ".training", ".tag"]
    assert [s for s, _ in steps["[0]"].items if "hooks" in s] == ["._forward_hooks"]
    assert ".running_mean" in dict(steps["[1]"].items)


def test_a_gradient_is_part_of_a_parameter():
    weight = torch.nn.Parameter(torch.ones(1))
    weight.sum().backward()
    assert [step for step, _ in node(weight).items] == [".grad"]


def test_a_generator_is_told_by_its_state():
    rng = random.Random(1)
    before = node(rng).text
    assert node(rng).text == before
    rng.random()
    assert node(rng).text != before
    torch_rng = torch.Generator().manual_seed(1)
    before = node(torch_rng).text
    torch.rand(1, generator=torch_rng)
    assert node(torch_rng).text != before


def test_functions_partials_and_memoised_ones():
    def one():
        return 1

    def two():
        return 2

    assert node(one).text == node(one).text != node(two).text
    assert shown(node(functools.partial(one, 1))) == "partial(func=function one, args=(1,), …)" or (
        "function one" in shown(node(functools.partial(one, 1)))
    )
    assert node(functools.lru_cache(one)).text == node(one).text


def test_a_record_comes_back_as_it_was(tmp_path):
    value = {
        "t": torch.arange(6.0).view(2, 3),
        "s": "\ud800",
        "l": [1, None, True],
        "e": torch.ones(0),
    }
    record = Record(3, node(value), before=[Root("global", "G", node(value))], random=True)
    save(record, str(tmp_path))
    again = load(tmp_path, 3)
    assert again.random
    assert again.before[0].what == "G"
    for one, two in zip(below(record.result), below(again.result), strict=True):
        assert (one.kind, one.type, one.text, one.number) == (
            two.kind,
            two.type,
            two.text,
            two.number,
        )
        if one.data is not None:
            assert one.data.values.tolist() == two.data.values.tolist()


def test_a_record_that_is_not_whole_is_none(tmp_path):
    save(Record(0, node(torch.ones(100))), str(tmp_path))
    path = tmp_path / "call-0.record"
    raw = path.read_bytes()
    for end in (0, 5, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:end])
        assert load(tmp_path, 0) is None
    assert load(tmp_path, 1) is None
