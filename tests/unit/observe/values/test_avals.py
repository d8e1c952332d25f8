from __future__ import annotations

import collections
import enum
from dataclasses import dataclass, field, make_dataclass
from typing import Any

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from dynprobe.observe.values.avals import WHOLE, aval_text, short_dtype, tensor_text
from dynprobe.spec.dtypes import DTYPES

CHANNELS = torch.channels_last
Target = collections.namedtuple("Target", "label weight")


@dataclass
class Batch:
    x: torch.Tensor
    step: int


@dataclass(slots=True)
class Slim:
    step: int


class Mode(enum.Enum):
    TRAIN = 1


class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError("somebody looked at me")


class Named(dict[str, Any]):
    pass


class Point:
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.zeros(4, 8), "f32[4,8]"),
        (torch.zeros(()), "f32[]"),
        (torch.zeros(0, 3, dtype=torch.int64), "i64[0,3]"),
        (torch.zeros(4, requires_grad=True), "f32[4] grad"),
        (torch.zeros(4, 8).t(), "f32[8,4] noncontiguous"),
        (torch.zeros(1, 2, 3, 3).mT, "f32[1,2,3,3] noncontiguous"),
        (torch.zeros(1, 2, 3, 3).to(memory_format=CHANNELS), "f32[1,2,3,3] channels_last"),
        (torch.zeros(2, device="meta"), "f32[2] meta"),
        (torch.eye(2).to_sparse(), "f32[2,2] sparse_coo"),
        (nn.Parameter(torch.zeros(2)), "f32[2] grad"),
        (torch.zeros(3).as_subclass(Loud), "Loud(f32[3])"),
        (torch.float32, "torch.float32"),
        (nn.Linear(2, 2), "Linear"),
        (numpy.zeros((2, 3), "int32"), "ndarray(i32[2,3])"),
        (3, "3"),
        (-0.5, "-0.5"),
        (float("nan"), "nan"),
        (1j, "1j"),
        (True, "True"),
        (None, "None"),
        ("sin", "'sin'"),
        (Mode.TRAIN, "Mode.TRAIN"),
        (Point(), "Point"),
        (Point, "class Point"),
        (len, "function len"),
        ([], "[]"),
        ([1, torch.zeros(4)], "[1, f32[4]]"),
        ((1,), "(1,)"),
        ((1, 2), "(1, 2)"),
        ([torch.zeros(4)] * 10, "[f32[4], f32[4], f32[4], f32[4], … 10 items]"),
        ({"a": torch.zeros(2), 3: None}, "{a: f32[2], 3: None}"),
        (Named(a=1), "Named{a: 1}"),
        ([[[[1]]]], "[[[[… 1 item]]]]"),
        (Batch(torch.zeros(3), 0), "Batch(x=f32[3], step=0)"),
        (Slim(2), "Slim(step=2)"),
        (Target(torch.zeros(3), 2.0), "Target(label=f32[3], weight=2.0)"),
        (torch.Size([2, 3]), "Size(2, 3)"),
    ],
)  # fmt: skip
def test_text(value: object, text: str) -> None:
    assert aval_text(value) == text


def test_jax_array() -> None:
    jnp = pytest.importorskip("jax.numpy")
    assert aval_text(jnp.zeros((4, 8))) == "Array(f32[4,8])"
    assert aval_text(jnp.zeros(3, "bool")) == "Array(b8[3])"


def test_name() -> None:
    assert aval_text(torch.zeros(3, 3) > 0, "mask") == "mask=b8[3,3]"


def test_long_values_are_cut() -> None:
    assert aval_text("a" * 1000) == f"'{'a' * 39}…'"
    assert len(aval_text(10**200)) <= 40
    assert aval_text(10**5000) == "int"  # Python itself refuses to print it
    wide = [{str(n): "a" * 100 for n in range(9)}] * 9
    assert len(aval_text(wide)) == WHOLE


def test_many_fields_are_counted() -> None:
    wide = make_dataclass("Wide", [(f"f{n}", int) for n in range(20)])
    assert aval_text(wide(*range(20))).endswith("f7=7, … 20 fields)")


def test_a_value_that_holds_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert aval_text(loop) == "[[[[… 1 item]]]]"


@pytest.mark.parametrize("short", DTYPES)
def test_every_dtype(short: str) -> None:
    dtype = getattr(torch, DTYPES[short].torch_name)
    assert short_dtype(dtype) == short
    assert aval_text(torch.empty(2, dtype=dtype)) == f"{short}[2]"


def test_symbolic_sizes_are_expressions_and_get_no_guard() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    shapes = ShapeEnv()
    context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC, DimDynamic.STATIC])
    fake = FakeTensorMode(shape_env=shapes).from_tensor(torch.zeros(4, 8), symbolic_context=context)
    symbol = str(fake.shape[0])
    before = len(shapes.guards)
    assert tensor_text(fake) == f"f32[{symbol}, 8]"
    assert aval_text(fake) == f"f32[{symbol}, 8]"
    assert aval_text([fake.shape[0]]) == f"[{symbol}]"
    assert len(shapes.guards) == before


class Hostile:
    """Does its worst wherever it is looked at."""

    def _never(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the user's code was run")

    __repr__ = __str__ = __len__ = __iter__ = __bool__ = __hash__ = __eq__ = _never  # type: ignore[assignment]
    __getattr__ = __call__ = __format__ = __getitem__ = _never


class HostileList(list[int]):
    __iter__ = __len__ = __repr__ = __getitem__ = Hostile._never  # type: ignore[assignment]


class HostileDict(dict[str, int]):
    __iter__ = __len__ = __repr__ = items = __getitem__ = Hostile._never  # type: ignore[assignment]


class HostileText(str):
    __repr__ = __str__ = __len__ = Hostile._never  # type: ignore[assignment]


@dataclass(repr=False)
class HostileRecord:
    x: int = field(default=1)

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("the user's code was run")


class HostileMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        raise AssertionError("the user's code was run")


class OfHostileMeta(metaclass=HostileMeta):
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Hostile(), "Hostile"),
        ([Hostile()], "[Hostile]"),
        (HostileList([1, 2]), "HostileList[1, 2]"),
        (HostileDict(a=1), "HostileDict{a: 1}"),
        (HostileText("a"), "HostileText"),
        (HostileRecord(), "HostileRecord(x=1)"),
        (OfHostileMeta(), "OfHostileMeta"),
        ({"k": OfHostileMeta()}, "{k: OfHostileMeta}"),
    ],
    ids=lambda value: value if type(value) is str else "value",
)
def test_no_code_of_the_users_runs(value: object, text: str) -> None:
    assert aval_text(value) == text


def test_a_property_in_a_dataclass_is_not_read() -> None:
    @dataclass
    class Lazy:
        x: int = 0

    Lazy.x = property(lambda self: 1 / 0, lambda self, value: None)  # type: ignore[assignment, method-assign]
    assert aval_text(Lazy()) == "Lazy(x=…)"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    )
)
def test_any_plain_value_has_a_bounded_text(value: object) -> None:
    assert 0 < len(aval_text(value)) <= WHOLE
