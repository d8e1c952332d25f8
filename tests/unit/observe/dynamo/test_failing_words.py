"""The pieces that say why a guard failed, each on its own: what a value is read from, what hangs on
what, the process's state in words."""

from __future__ import annotations

import json

import pytest
import torch

from dynprobe.observe.dynamo.access import Lost, hangs_on, lost_steps
from dynprobe.observe.dynamo.dispatch_keys import key_differences
from dynprobe.observe.dynamo.holders import holder_of, is_same_holder
from dynprobe.observe.dynamo.process_state import device_words, is_state, state_differences
from dynprobe.observe.dynamo.records import LeafGuard
from dynprobe.observe.dynamo.taps import dispatch_keys, global_state
from dynprobe.observe.dynamo.words import Words


def frame(x, self):
    return x, self


@pytest.mark.parametrize(
    ("source", "holder"),
    [
        ("L['x']", None),
        ("L['x'].size()[0]", None),
        ("L['self'].calls", "L['self']"),
        ("L['self']._modules['proj']", "L['self']"),
        ("L['self']._modules['proj'].__dict__['scale']", "L['self']._modules['proj']"),
        ("L['d']['k'][0]", "L['d']['k']"),
        ("list(dict.keys(L['d']))[0]", "L['d']"),
        ("L['f'].__closure__[0].cell_contents", "L['f']"),
        ("L['self'].f.__defaults__[1]", "L['self'].f"),
        ("L['f'].__kwdefaults__['k']", "L['f']"),
        ("no python (", None),
    ],
)
def test_what_a_value_is_read_from(source, holder):
    asked: list[str] = []
    holder_of(source, asked.append)
    assert asked == ([holder] if holder else [])


def test_what_cannot_be_read_has_no_holder():
    def gone(source):
        raise KeyError(source)

    assert holder_of("L['self'].calls", gone) is None
    assert is_same_holder("L['self'].calls", gone, {}) is None


@pytest.mark.parametrize(
    ("source", "other", "hangs"),
    [
        ("L['d'].k.j", "L['d'].k", True),
        ("L['d'].kind", "L['d'].k", False),
        ("list(dict.keys(L['d']))[0]", "L['d']", True),
        ("L['d'].k", "L['d'].k", True),
        ("L['x']", "L['d']", False),
    ],
)
def test_what_hangs_on_what(source, other, hangs):
    assert hangs_on(source, other) is hangs


def test_only_the_first_step_of_each_way_is_lost():
    lost = {"L['d'].k.j": AttributeError(), "L['d'].k": AttributeError(), "L['d'].kind": KeyError()}
    found = lost_steps(lost, set(), only_plain=True)
    assert found == [Lost("L['d'].k", "attribute"), Lost("L['d'].kind", "dict_keys")]


@pytest.mark.parametrize(
    ("source", "root"),
    [
        ("L", "process"),
        ("L['x']", "argument"),
        ("list(dict.keys(L['x']))[0]", "argument"),
        ("___from_numpy(L['x'])", "argument"),
        ("G['SCALE']", "global"),
        ("dict(G['__import_torch'].__dict__)['k']", "library"),
        ("__import__('torch').utils", "library"),
        ("___get_torch_function_mode_stack_at(0).device", "process"),
    ],
)
def test_where_a_source_starts(source, root):
    assert Words(frame.__code__).root(source) == root


def global_state_guard(**changed):
    state = json.loads(global_state())
    state.update(changed)
    text = f"___check_global_state() against {json.dumps(state)}"
    return LeafGuard("L", "GLOBAL_STATE", (text,), None)


DEVICES = ("cpu", "cuda", "mtia", "xpu", "ipu", "hpu", "xla", "mps")


@pytest.mark.parametrize("device", DEVICES)
def test_autocast_of_each_device_is_named_as_torch_orders_them(device):
    leaf = global_state_guard()
    torch.set_autocast_enabled(device, True)
    try:
        (found,) = state_differences(leaf, None)
    finally:
        torch.set_autocast_enabled(device, False)
    source = "autocast" if device == "cpu" else f"autocast ({device})"
    assert found == (source, "autocast", "off", "on")


@pytest.mark.parametrize(
    ("dtype", "short"), [(torch.float16, "f16"), (torch.float64, "f64"), (torch.bfloat16, "bf16")]
)
def test_default_dtypes(dtype, short):
    leaf, before = global_state_guard(), torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        assert state_differences(leaf, None) == [("default dtype", "global_state", "f32", short)]
    finally:
        torch.set_default_dtype(before)


def test_a_state_that_torch_writes_otherwise_is_not_guessed():
    leaf = LeafGuard("L", "GLOBAL_STATE", ("___check_global_state()",), None)
    assert state_differences(leaf, None) == [
        ("global state", "global_state", "as captured", "changed")
    ]


def test_a_field_of_the_state_that_has_no_words_has_its_own_name():
    leaf = global_state_guard(some_new_flag=True)
    assert state_differences(leaf, None) == [("some new flag", "global_state", "on", "None")]


@pytest.mark.parametrize(
    ("text", "said"),
    [("None", "none"), ("device(type='cuda', index=1)", "cuda:1"), ("device(type='cpu')", "cpu")],
)
def test_devices(text, said):
    assert device_words(text) == said


def test_a_guard_on_a_value_is_none_of_the_state():
    assert not is_state(LeafGuard("L['x']", "EQUALS_MATCH", ("L['x'] == 1",), None))


def keys_of(tensor):
    return dispatch_keys(tensor).removeprefix("DispatchKeySet(").removesuffix(")")


def square():
    return torch.ones(2, 2)


@pytest.mark.parametrize(
    ("now", "kind", "expected", "actual"),
    [
        (lambda: square().to("meta"), "device", "cpu", "meta"),
        (lambda: square().to_sparse(), "layout", "strided", "sparse_coo"),
        (lambda: square().to_sparse_csr(), "layout", "strided", "sparse_csr"),
        (lambda: square().to_mkldnn(), "layout", "strided", "mkldnn"),
        (lambda: (square() + 0j).conj(), "tensor", "not conjugated lazily", "conjugated lazily"),
        (lambda: (square() * 1j).conj().imag, "tensor", "not negated lazily", "negated lazily"),
    ],
)
def test_dispatch_keys_in_words(now, kind, expected, actual):
    (found,) = key_differences(keys_of(square()), now())
    assert found[:1] + found[2:] == (kind, expected, actual)


def test_the_same_keys_differ_in_nothing():
    assert key_differences(keys_of(square()), square()) == []


def test_inference_mode_is_told_of_the_process_or_of_the_tensor():
    outside = square()
    wanted = keys_of(outside)
    with torch.inference_mode():
        inside = square()
        (of_process,) = key_differences(wanted, outside)
    (of_tensor,) = key_differences(wanted, inside)
    assert of_process == ("grad_mode", "", "off", "on")
    assert of_tensor.actual == "made under inference mode"
