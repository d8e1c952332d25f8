"""Calls from CallSpecs, from `--inputs`, and from .npy files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from dynprobe.call import Call
from dynprobe.errors import DynprobeError, InputError, TargetError
from dynprobe.observe.target.load import LoadedTarget, describe
from dynprobe.observe.values import inputs, tensors
from dynprobe.observe.values.make import MadeCall, make_calls
from dynprobe.spec.model import (
    ArgSpec,
    CallSpec,
    DictSpec,
    ListSpec,
    LiteralSpec,
    NpySpec,
    Options,
    Probe,
    RefSpec,
    TargetSpec,
    TensorSpec,
    ValueSpec,
)

SPEC = TargetSpec("m:f", "m", None, ("f",))


def anything(*args: Any, **kwargs: Any) -> Any:
    return args


def two(x, y=None):  # type: ignore[no-untyped-def]
    return x


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        if not name.startswith(("torch", "numpy")):
            del sys.modules[name]


def typed(*calls: CallSpec, target: Any = anything, **options: Any) -> list[MadeCall]:
    return make_calls(Probe(SPEC, calls=calls, options=Options(**options)), describe(target))


def call(*values: ValueSpec | ArgSpec, label: str | None = None) -> CallSpec:
    args = tuple(v if isinstance(v, ArgSpec) else ArgSpec(v) for v in values)
    return CallSpec(args, label)


FOUR = TensorSpec((4,))


def test_values_of_every_kind() -> None:
    nested = ListSpec((FOUR, DictSpec((("a", LiteralSpec(1)), (2, FOUR)))))
    (made,) = typed(call(FOUR, LiteralSpec("sin"), nested, ArgSpec(LiteralSpec(None), "mode")))
    x, mode, items = made.args
    assert x.shape == (4,)
    assert mode == "sin"
    assert list(items[1]) == ["a", 2]
    assert made.kwargs == {"mode": None}
    tensors = [x, items[0], items[1][2]]
    assert not torch.equal(tensors[0], tensors[1])
    assert not torch.equal(tensors[1], tensors[2])


def test_label_is_kept() -> None:
    assert typed(call(FOUR, label="first"))[0].label == "first"


def test_each_call_has_fresh_tensors_of_the_same_values() -> None:
    first, second, third = (m.args[0] for m in typed(call(FOUR), repeat=3))
    kept = first.clone()
    first.zero_()
    assert torch.equal(second, kept)
    assert torch.equal(third, kept)


def test_values_do_not_depend_on_the_call_or_on_how_the_parameter_is_given() -> None:
    calls = typed(
        call(TensorSpec((7,)), FOUR),
        call(LiteralSpec(1), FOUR),
        call(ArgSpec(FOUR, "y"), ArgSpec(FOUR, "x")),
        target=two,
    )
    y = calls[0].args[1]
    assert torch.equal(y, calls[1].args[1])
    assert torch.equal(y, calls[2].kwargs["y"])
    assert not torch.equal(y, calls[2].kwargs["x"])


def test_repeat_runs_the_whole_list_again() -> None:
    shapes = [m.args[0].shape[0] for m in typed(call(FOUR), call(TensorSpec((5,))), repeat=2)]
    assert shapes == [4, 5, 4, 5]


def test_a_reference_is_the_same_object_in_every_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ref_mod.py").write_text("def make(): return object()\ntable = {}\n")
    monkeypatch.chdir(tmp_path)
    for text in ("ref_mod:table", "ref_mod:make()"):
        one, other = typed(call(RefSpec(text), RefSpec(text)), repeat=2)
        assert one.args[0] is other.args[0] is one.args[1]
    with pytest.raises(TargetError, match=r"has no 'tabel': did you mean 'table'?"):
        typed(call(RefSpec("ref_mod:tabel")))


def test_a_call_that_does_not_fit_is_named() -> None:
    with pytest.raises(TargetError, match=r"two\(x, y=None\) takes 1 to 2 arguments, call 1 gives"):
        typed(call(FOUR), call(FOUR, FOUR, FOUR), target=two)


def test_all_calls_together_may_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "free_bytes", lambda: 100)
    assert len(typed(call(FOUR), repeat=6)) == 6
    with pytest.raises(InputError, match="all 7 calls together asks for 112 bytes; 100 bytes"):
        typed(call(FOUR), repeat=7)


def test_too_many_calls() -> None:
    with pytest.raises(InputError, match="2,000,000 calls are too many: 1,000,000 is the most"):
        typed(call(LiteralSpec(1)), repeat=2_000_000)


def test_device_is_checked_where_tensors_are_made() -> None:
    typed(call(LiteralSpec(1)), device="gpu")
    with pytest.raises(InputError, match="'gpu' is no device"):
        typed(call(ListSpec((DictSpec((("a", FOUR),)),))), device="gpu")


# --inputs

Listed = Callable[..., list[MadeCall]]


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Listed:
    monkeypatch.chdir(tmp_path)

    def listed(source: str, target: Any = anything, **options: Any) -> list[MadeCall]:
        Path("given.py").write_text(f"import torch\nfrom dynprobe.call import Call\n{source}\n")
        sys.modules.pop("given", None)
        probe = Probe(SPEC, inputs="given.py:calls", options=Options(**options))
        loaded: LoadedTarget = describe(target)
        return make_calls(probe, loaded)

    return listed


def test_every_form_of_a_call(listed: Listed) -> None:
    made = listed(
        "def calls():\n"
        "    return [Call((1,), {'a': 2}, label='l', before=print, around=dict),\n"
        "            ((1, 2), {'b': 3}), ([1], {}), 5, (1, 2), torch.ones(2), [1, {}], None]"
    )
    assert made[0] == MadeCall((1,), {"a": 2}, "l", print, dict)
    assert [m.args for m in made[1:5]] == [(1, 2), (1,), (5,), ((1, 2),)]
    assert made[1].kwargs == {"b": 3}
    assert made[5].args[0].shape == (2,)
    assert made[6].args == ([1, {}],)
    assert made[7].args == (None,)


def test_list_generator_and_single_call(listed: Listed) -> None:
    assert len(listed("calls = [1, 2]")) == 2
    assert len(listed("def calls():\n    yield 1\n    yield 2")) == 2
    assert len(listed("calls = (n for n in range(3))", repeat=2)) == 6
    assert listed("calls = Call((1,))")[0].args == (1,)
    assert listed("def calls(): return (1, 2), {'a': 3}")[0] == MadeCall((1, 2), {"a": 3})


def test_a_function_makes_fresh_calls_for_each_repetition(listed: Listed) -> None:
    first, second = listed("def calls(): return [torch.ones(2)]", repeat=2)
    assert first.args[0] is not second.args[0]
    first, second = listed("calls = [torch.ones(2)]", repeat=2)
    assert first.args[0] is second.args[0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("calls = []", "given.py:calls gives no calls"),
        ("calls = 3", "given.py:calls gives 3, which is no list of calls"),
        ("calls = 'ab'", "given.py:calls gives 'ab', which is no list of calls"),
        ("calls = torch.ones(2)", "given.py:calls gives f32[2], which is no list of calls"),
        ("calls = {'x': 1}", "given.py:calls gives {x: 1}, which is no list of calls"),
        ("def calls(): return None", "given.py:calls gives None, which is no list of calls"),
        (
            "def calls(n): return []",
            "given.py:calls() raised TypeError: calls() missing 1 required",
        ),
        ("def calls(): raise ValueError('v')", "given.py:calls() raised ValueError: v"),
        (
            "def calls():\n    yield 1\n    raise ValueError('v')",
            "given.py:calls raised ValueError: v after 1 call",
        ),
        (
            "calls = [1, Call(torch.ones(2))]",
            "call 1 of given.py:calls: its args are f32[2], not a tuple: write Call((x,))",
        ),
        ("calls = [Call('ab')]", "call 0 of given.py:calls: its args are 'ab', not a tuple"),
        ("calls = [Call((), 3)]", "call 0 of given.py:calls: its kwargs are 3, not a dict"),
        (
            "calls = [((), {1: 2})]",
            "call 0 of given.py:calls: a key of its kwargs is 1, not a string",
        ),
        ("calls = [Call(label=3)]", "call 0 of given.py:calls: its label is 3, not a string"),
        ("calls = [Call(before=3)]", "call 0 of given.py:calls: its before is 3, which cannot be"),
        ("calls = [Call(around=3)]", "call 0 of given.py:calls: its around is 3, which cannot be"),
    ],
)
def test_wrong_inputs(listed: Listed, source: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        listed(source)
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message
    assert "observe" not in (caught.value.detail or "")


def test_endless_inputs_are_stopped(listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_CALLS", 100)
    with pytest.raises(InputError, match=r"given.py:calls gives more than 100 calls"):
        listed("import itertools\ndef calls(): return itertools.count()")
    with pytest.raises(InputError, match=r"more than 100 calls"):
        listed("def calls(): return [1] * 60", repeat=2)
    with pytest.raises(InputError, match=r"more than 100 calls"):
        listed("calls = [1] * 60", repeat=2)


def test_inputs_that_do_not_fit_the_target(listed: Listed) -> None:
    with pytest.raises(TargetError) as caught:
        listed("calls = [1, Call((1, 2, 3))]", target=two)
    assert "call 1 gives 3" in caught.value.message
    assert caught.value.hint is None


def test_inputs_that_are_not_there(listed: Listed) -> None:
    with pytest.raises(TargetError, match=r"has no 'calls': did you mean 'call'?"):
        listed("def call(): ...")


def test_dynprobe_call_is_what_is_meant() -> None:
    assert inputs.calls_from([Call((1,))], "calls") == [Call((1,))]


# .npy


def test_npy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    numpy.save("x.npy", numpy.arange(6, dtype="int32").reshape(2, 3))
    numpy.save("big.npy", numpy.arange(3, dtype=">f4"))
    numpy.save("f.npy", numpy.asfortranarray(numpy.ones((2, 3))))
    numpy.save("scalar.npy", numpy.float64(2))
    one, other = typed(call(*map(NpySpec, ("x.npy", "big.npy", "f.npy", "scalar.npy"))), repeat=2)
    x, big, f, scalar = one.args
    assert x.dtype == torch.int32
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert big.tolist() == [0, 1, 2]
    assert f.shape == (2, 3)
    assert scalar.shape == ()
    x.zero_()
    assert other.args[0].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_npy_that_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    numpy.save("words.npy", numpy.array(["a", "b"]))
    numpy.save("objects.npy", numpy.array([{}, None]), allow_pickle=True)
    numpy.savez("many.npz", a=numpy.ones(2))
    Path("many.npz").rename("many.npy")
    Path("text.npy").write_text("hello, this is no array")
    Path("empty.npy").touch()
    numpy.save("cut.npy", numpy.ones(100))
    Path("cut.npy").write_bytes(Path("cut.npy").read_bytes()[:200])
    Path("dir.npy").mkdir()
    for name, message in {
        "word.npy": "there is no file 'word.npy': did you mean 'words.npy'?",
        "no/x.npy": "there is no file 'no/x.npy': there is no directory 'no'",
        "words.npy": "'words.npy' holds <U1 values, which no tensor can hold",
        "objects.npy": "'objects.npy' holds Python objects, which are not loaded",
        "many.npy": "'many.npy' is an archive of several arrays (.npz)",
        "text.npy": "'text.npy' is not a whole .npy file",
        "empty.npy": "'empty.npy' is not a whole .npy file",
        "cut.npy": "'cut.npy' is not a whole .npy file",
        "dir.npy": "'dir.npy' is a directory, not a .npy file",
    }.items():
        with pytest.raises(DynprobeError) as caught:
            typed(call(NpySpec(name)))
        assert caught.value.message.startswith(message)
