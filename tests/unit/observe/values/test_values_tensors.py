"""Tensors from TensorSpecs: values, layouts, and what cannot be had."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from dynprobe.errors import InputError
from dynprobe.observe.values import memory, tensors
from dynprobe.observe.values.avals import aval_text
from dynprobe.observe.values.tensors import check_device, check_memory, make_tensor, tensor_bytes
from dynprobe.spec.dtypes import DTYPES
from dynprobe.spec.model import Options, TensorSpec


def make(*shape: int, place: str = "0", options: Options | None = None, **spec: Any) -> Any:
    return make_tensor(TensorSpec(shape, **spec), options or Options(), place)


def refused(*shape: int, options: Options | None = None, **spec: Any) -> str:
    with pytest.raises(InputError) as caught:
        make(*shape, options=options, **spec)
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize("short", DTYPES)
@pytest.mark.parametrize("init", [None, "zeros", "ones", "arange", "empty"])
def test_every_dtype_with_every_init(short: str, init: Any) -> None:
    assert aval_text(make(2, 3, dtype=short, init=init)) == f"{short}[2,3]"


@pytest.mark.parametrize("short", DTYPES)
def test_random_inits_of_every_dtype(short: str) -> None:
    high = 2 if DTYPES[short].kind == "bool" else 100
    assert aval_text(make(3, dtype=short, init="randint", high=high)) == f"{short}[3]"
    if DTYPES[short].differentiable:
        assert aval_text(make(3, dtype=short, init="rand")) == f"{short}[3]"
        assert aval_text(make(3, dtype=short, init="randn")) == f"{short}[3]"


def test_values_are_the_same_each_time_and_of_each_place_their_own() -> None:
    assert torch.equal(make(4), make(4))
    assert not torch.equal(make(4), make(4, place="1"))
    assert not torch.equal(make(4), make(4, options=Options(seed=1)))


def test_lower_precisions_round_the_same_numbers() -> None:
    assert torch.equal(make(64, dtype="bf16"), make(64).to(torch.bfloat16))


def test_values_look_as_their_init_says() -> None:
    normal, uniform = make(10_000), make(10_000, init="rand")
    assert abs(normal.mean()) < 0.05
    assert abs(normal.std() - 1) < 0.05
    assert 0 <= uniform.min() < 0.01 < 0.99 < uniform.max() < 1
    assert make(3, init="arange").tolist() == [0, 1, 2]
    assert make(2, 2, init="ones").tolist() == [[1, 1], [1, 1]]
    numbers = make(10_000, dtype="i64", init="randint", high=7)
    assert sorted(numbers.unique().tolist()) == list(range(7))


def test_default_integers_index_anything() -> None:
    index = make(5, dtype="i64")
    torch.zeros(1)[index]
    torch.nn.functional.embedding(index, torch.zeros(1, 2))


def test_default_bools_alternate() -> None:
    assert make(3, dtype="b8").tolist() == [True, False, True]
    assert make(3, dtype="b8", init="ones").tolist() == [True] * 3
    assert make(dtype="b8").tolist() is True


def test_defaults_come_from_the_options() -> None:
    assert make(2, options=Options(init="zeros", dtype="bf16")).tolist() == [0, 0]
    assert make(2, options=Options(dtype="float64")).dtype == torch.float64
    assert make(2, dtype="i64", options=Options(init="rand")).tolist() == [0, 0]


def test_torchs_own_random_state_is_left_alone() -> None:
    before = torch.random.get_rng_state()
    make(100)
    make(100, init="rand")
    make(100, dtype="i64", init="randint", high=5)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_modes_and_devices_the_target_left_on_do_not_matter() -> None:
    with torch.inference_mode(), torch.device("meta"):
        tensor = make(3, requires_grad=True)
    assert tensor.device.type == "cpu"
    assert not tensor.is_inference()
    assert tensor.is_leaf


def test_grad() -> None:
    tensor = make(3, requires_grad=True)
    tensor.sum().backward()
    assert tensor.grad.tolist() == [1, 1, 1]
    assert make(3, dtype="c64", requires_grad=True).requires_grad
    assert refused(3, dtype="i64", requires_grad=True) == (
        "'3xi64:grad' cannot be made: i64 tensors cannot require grad, only floating-point and "
        "complex ones can"
    )


@pytest.mark.parametrize("shape", [(2,), (4, 8), (4, 1), (1, 4), (1, 4, 1), (2, 1, 2)])
def test_noncontiguous_has_the_same_values(shape: tuple[int, ...]) -> None:
    tensor = make(*shape, layout="noncontiguous")
    assert not tensor.is_contiguous()
    assert torch.equal(tensor, make(*shape))
    leaf = make(*shape, layout="noncontiguous", requires_grad=True)
    assert leaf.is_leaf
    assert not leaf.is_contiguous()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 4), (1, 1)])
def test_noncontiguous_of_fewer_than_two_elements(shape: tuple[int, ...]) -> None:
    assert "fewer than 2 elements is always contiguous" in refused(*shape, layout="noncontiguous")


def test_channels_last() -> None:
    for shape, form in (
        ((2, 3, 4, 4), torch.channels_last),
        ((2, 3, 2, 4, 4), torch.channels_last_3d),
    ):
        tensor = make(*shape, layout="channels_last")
        assert tensor.is_contiguous(memory_format=form)
        assert not tensor.is_contiguous()
        assert torch.equal(tensor, make(*shape))
    assert "needs 4 or 5 dimensions, and this one has 2" in refused(2, 2, layout="channels_last")


def test_huge_is_refused_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "free_bytes", lambda: 3 * 1024**3)
    assert refused(10**6, 10**6) == (
        "'1000000x1000000' asks for 4,000,000,000,000 bytes (3.6 TiB); "
        "3,221,225,472 bytes (3.0 GiB) of memory are free"
    )
    monkeypatch.setattr(tensors, "free_bytes", lambda: None)
    assert refused(10**20).endswith("asks for 400,000,000,000,000,000,000 bytes (346.9 EiB)")
    assert tensor_bytes(TensorSpec((4,), layout="noncontiguous"), Options()) == 32


def test_dimensions_that_torch_itself_refuses() -> None:
    assert "'0x100000000000000000000' cannot be made: " in refused(0, 10**20)


def test_free_memory_is_a_plausible_number() -> None:
    free = memory.free_bytes()
    assert free is not None
    assert 2**20 < free < 2**50
    check_memory(0, "nothing")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1,024 bytes (1.0 KiB)"),
        (1024**2 - 1, "1,048,575 bytes (1,024.0 KiB)"),
        (5 * 1024**4, "5,497,558,138,880 bytes (5.0 TiB)"),
        (1024**8, f"{1024**8:,} bytes (1,048,576.0 EiB)"),
    ],
)
def test_bytes_in_words(count: int, text: str) -> None:
    assert memory.bytes_text(count) == text


def test_what_a_dtype_cannot_hold() -> None:
    assert ":randn gives fractions, which i64 cannot hold" in refused(2, dtype="i64", init="randn")
    assert refused(2, dtype="i8", init="randint", high=1000) == (
        "'2xi8:randint=1000' cannot be made: randint=1000 is more than i8 can hold (at most 128)"
    )
    assert make(2, dtype="i8", init="randint", high=128).dtype == torch.int8


def test_unknown_dtype() -> None:
    message = refused(2, options=Options(dtype="flaot32"))
    assert message == "'flaot32' is no dtype: did you mean 'f32'?"


def test_devices() -> None:
    assert check_device("cpu").type == "cpu"
    assert make(2, options=Options(device="meta")).device.type == "meta"
    with pytest.raises(InputError, match=r"'gpu' is no device of torch: did you mean 'cuda'?"):
        check_device("gpu")
    with pytest.raises(InputError, match=r"'cpuu' is no device of torch: did you mean 'cpu'?"):
        check_device("cpuu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what is said without a GPU")
def test_device_that_this_machine_lacks() -> None:
    with pytest.raises(InputError, match="device 'cuda' cannot be used here: "):
        check_device("cuda")
