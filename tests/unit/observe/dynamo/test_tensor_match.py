"""What a tensor guard wants, and how a tensor differs; each difference is checked against the
guard torch itself makes."""

from __future__ import annotations

import pytest
import torch

from dynprobe.observe.dynamo import tensor_match

TEXT = (
    "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)"
    ", torch.float32, device=None, requires_grad=False, size=[2, None], stride=[4, 1])  # x + 1"
)


def differences(value):
    wanted = tensor_match.parse(TEXT)
    assert wanted is not None
    return {(d.suffix, d.expected, d.actual) for d in tensor_match.differences(wanted, value)}


def test_parse():
    wanted = tensor_match.parse(TEXT)
    assert wanted is not None
    assert (wanted.dtype, wanted.size, wanted.stride) == ("torch.float32", (2, None), (4, 1))
    assert tensor_match.describe(wanted) == "f32[2,*]"
    assert tensor_match.parse("___check_type_id(L['x'], 1)") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("size=[2, None]", "size=[]").replace("stride=[4, 1]", "stride=[]"), "f32[]"),
        (TEXT.replace("None], stride=[4, 1]", "4], stride=[1, 2]"), "f32[2,4] strides 1,2"),
        (TEXT.replace("requires_grad=False", "requires_grad=True"), "f32[2,*] grad"),
        (TEXT.replace("torch.float32", "torch.bool"), "b8[2,*]"),
        (TEXT.replace(", Tensor,", ", Loud,"), "f32[2,*] Loud"),
    ],
)
def test_describe(text, said):
    wanted = tensor_match.parse(text)
    assert wanted is not None
    assert tensor_match.describe(wanted) == said


def test_what_fits_has_no_difference():
    assert differences(torch.ones(2, 4)) == set()


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (torch.ones(3, 4), {(".shape[0]", "2", "3")}),
        (torch.ones(2, 5), {(".stride()[0]", "4", "5")}),
        (torch.ones(4, 2).t(), {(".stride()[0]", "4", "1"), (".stride()[1]", "1", "2")}),
        (torch.ones(2, 4, dtype=torch.float64), {(".dtype", "f32", "f64")}),
        (torch.ones(8), {("", "2 dimensions", "1 dimension")}),
        (torch.ones(2, 4, requires_grad=True), {(".requires_grad", "False", "True")}),
        (3, {("", "Tensor", "int")}),
    ],
)
def test_differences(value, found):
    assert differences(value) == found


def test_inference_tensors_differ_by_their_dispatch_keys():
    with torch.inference_mode():
        value = torch.ones(2, 4)
        (found,) = differences(value)
    assert found == ("", "made outside inference mode", "made under inference mode")
