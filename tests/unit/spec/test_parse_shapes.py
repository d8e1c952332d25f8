"""`--shapes`: one tensor a call; the comma is the next call."""

from __future__ import annotations

import pytest

from dynprobe.errors import DynprobeError, GrammarError
from dynprobe.spec.calls import parse_shapes
from dynprobe.spec.model import ArgSpec, CallSpec, TensorSpec


def one_each(*tensors: TensorSpec) -> tuple[CallSpec, ...]:
    return tuple(CallSpec((ArgSpec(tensor),)) for tensor in tensors)


@pytest.mark.parametrize(
    ("text", "tensors"),
    [
        ("4", [TensorSpec((4,))]),
        ("4,5", [TensorSpec((4,)), TensorSpec((5,))]),
        (" 4x8 , 5x8 ", [TensorSpec((4, 8)), TensorSpec((5, 8))]),
        ("scalar,4", [TensorSpec(()), TensorSpec((4,))]),
        ("0x4", [TensorSpec((0, 4))]),
        ("4x8:grad", [TensorSpec((4, 8), requires_grad=True)]),
        ("scalar:zeros", [TensorSpec((), init="zeros")]),
        ("4x8xf32:grad,4", [TensorSpec((4, 8), "f32", requires_grad=True), TensorSpec((4,))]),
        ("f32,f64[4,8]", [TensorSpec((), "f32"), TensorSpec((4, 8), "f64")]),
        ("4xi64:randint=9", [TensorSpec((4,), "i64", "randint", 9)]),
    ],
)
def test_shapes(text: str, tensors: list[TensorSpec]) -> None:
    assert parse_shapes(text) == one_each(*tensors)


def test_the_default_dtype_is_for_tensors_that_give_none() -> None:
    assert parse_shapes("4,scalar,4xb8", "torch.float64") == one_each(
        TensorSpec((4,), "f64"), TensorSpec((), "f64"), TensorSpec((4,), "b8")
    )


def test_an_unknown_default_dtype_names_the_nearest() -> None:
    with pytest.raises(DynprobeError) as caught:
        parse_shapes("4", "float23")
    assert (caught.value.message, caught.value.hint) == ("'float23' is not a dtype", "write: f32")


def test_the_default_dtype_decides_which_modifiers_can_be_had() -> None:
    with pytest.raises(GrammarError, match="dtype i64 cannot require grad"):
        parse_shapes("4:grad", "int64")
