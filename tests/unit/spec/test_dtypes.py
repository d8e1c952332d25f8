"""Names of dtypes."""

from __future__ import annotations

import pytest

from dynprobe.errors import DynprobeError
from dynprobe.spec.dtypes import (
    DTYPES,
    canonical_dtype,
    item_size,
    known_dtype,
    nearest_dtype,
    torch_name,
)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("f32", "f32"),
        ("float32", "f32"),
        ("torch.float32", "f32"),
        ("torch.float", "f32"),
        ("torch.half", "f16"),
        ("bf16", "bf16"),
        ("bfloat16", "bf16"),
        ("bool", "b8"),
        ("b8", "b8"),
        ("torch.bool", "b8"),
        ("int64", "i64"),
        ("torch.long", "i64"),
        ("uint8", "u8"),
        ("complex64", "c64"),
        ("f8e4m3fn", "f8e4m3fn"),
        ("f8_e4m3fn", "f8e4m3fn"),
        ("float8_e4m3fn", "f8e4m3fn"),
        ("f8_e8m0fnu", "f8e8m0fnu"),
        ("half", None),
        ("float", None),
        ("F32", None),
        ("torch.f32", None),
        ("", None),
    ],
)
def test_spellings(name: str, short: str | None) -> None:
    assert canonical_dtype(name) == short


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("f23", "f32"),
        ("float", "f32"),
        ("Float32", "f32"),
        ("flot", "f32"),
        ("jnp.float64", "f64"),
        ("np.int8", "i8"),
        ("fp16", "f16"),
        ("half", "f16"),
        ("long", "i64"),
        ("boolean", "b8"),
        ("bfloat", "bf16"),
        ("bflot16", "bf16"),
        ("e4m3fn", "f8e4m3fn"),
        ("sin", None),
        ("mean", None),
        ("relu", None),
        ("", None),
        ("f" * 100_000, None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_the_nearest_is_what_was_meant_or_nothing(name: str, short: str | None) -> None:
    assert nearest_dtype(name) == short


def test_every_short_name_stands_for_itself_and_has_a_size() -> None:
    for short, dtype in DTYPES.items():
        assert known_dtype(short) == known_dtype(torch_name(short)) == short
        digits = "".join(short.partition("e")[0].strip("bfiuc"))
        assert item_size(short) * 8 == int(digits)
        assert dtype.differentiable == (dtype.kind in ("float", "complex"))


def test_an_unknown_dtype_is_refused_in_one_sentence() -> None:
    with pytest.raises(DynprobeError) as caught:
        known_dtype("torch.flaot16")
    assert caught.value.message == "'torch.flaot16' is not a dtype"
    assert caught.value.hint == "write: f16"
