"""`--call`: one example a line, then the refusals with their carets."""

from __future__ import annotations

import math

import pytest

from dynprobe.errors import GrammarError
from dynprobe.spec.calls import MAX_DEPTH, parse_call
from dynprobe.spec.model import (
    ArgSpec,
    CallSpec,
    DictSpec,
    ListSpec,
    LiteralSpec,
    NpySpec,
    RefSpec,
    TensorSpec,
    ValueSpec,
)


def brief(value: object) -> str:
    """A test's id: some texts below are very long."""
    return str(value)[:30]


def value_of(text: str) -> ValueSpec:
    call = parse_call(text)
    assert [arg.name for arg in call.args] == [None]
    return call.args[0].value


@pytest.mark.parametrize(
    ("text", "tensor"),
    [
        ("4x8xf32", TensorSpec((4, 8), "f32")),
        ("f32", TensorSpec((), "f32")),
        ("f32[4,8]", TensorSpec((4, 8), "f32")),
        ("f32[4, 8]", TensorSpec((4, 8), "f32")),
        ("f32[ 4 ]", TensorSpec((4,), "f32")),
        ("f32[]", TensorSpec((), "f32")),
        ("0xf32", TensorSpec((0,), "f32")),
        ("0xb8", TensorSpec((0,), "b8")),
        ("0x4xf32", TensorSpec((0, 4), "f32")),
        ("04xf32", TensorSpec((4,), "f32")),
        ("4xbool", TensorSpec((4,), "b8")),
        ("4xfloat8_e4m3fn", TensorSpec((4,), "f8e4m3fn")),
        ("4xf8_e5m2", TensorSpec((4,), "f8e5m2")),
        ("torch.float32[4]", TensorSpec((4,), "f32")),
        ("4xtorch.long", TensorSpec((4,), "i64")),
        ("4x8xf32:grad", TensorSpec((4, 8), "f32", requires_grad=True)),
        ("f32[4,8]:zeros", TensorSpec((4, 8), "f32", init="zeros")),
        ("4xf32:ones", TensorSpec((4,), "f32", init="ones")),
        ("4xf32:rand", TensorSpec((4,), "f32", init="rand")),
        ("4xc64:randn", TensorSpec((4,), "c64", init="randn")),
        ("4xi64:arange", TensorSpec((4,), "i64", init="arange")),
        ("4xf32:empty", TensorSpec((4,), "f32", init="empty")),
        ("4xi64:randint", TensorSpec((4,), "i64", init="randint")),
        ("4xi64:randint=100", TensorSpec((4,), "i64", init="randint", high=100)),
        ("4x8xf32:noncontiguous", TensorSpec((4, 8), "f32", layout="noncontiguous")),
        ("1x2x3x4xf32:channels_last", TensorSpec((1, 2, 3, 4), "f32", layout="channels_last")),
        (
            "4x8xf32:noncontiguous:grad:ones",
            TensorSpec((4, 8), "f32", "ones", None, True, "noncontiguous"),
        ),
        ("999999999999x8xf32", TensorSpec((999999999999, 8), "f32")),
        (f"{2**63 - 1}xf32", TensorSpec((2**63 - 1,), "f32")),
        ("1x" * 64 + "f32", TensorSpec((1,) * 64, "f32")),
    ],
)
def test_tensors(text: str, tensor: TensorSpec) -> None:
    assert value_of(text) == tensor


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("+3", 3),
        ("0", 0),
        ("1_000", 1000),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        ("-2.5e+2", -250.0),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("nan", math.nan),
        ("1e999", math.inf),
        ("True", True),
        ("False", False),
        ("None", None),
        ("'sin'", "sin"),
        ('"sin"', "sin"),
        ("''", ""),
        ("'a,b]}=:@'", "a,b]}=:@"),
        (r"'it\'s'", "it's"),
        ('"it\'s"', "it's"),
        (r"'\n\t\\\x41\u00e9\U0001F600\N{BULLET}\101'", "\n\t\\Aé😀•A"),
        (r"'\d'", r"\d"),
        ("'a\\\nb'", "ab"),
        ("'a\nb'", "a\nb"),
        ("'a\0b'", "a\0b"),
        (r"'\ud800'", "\ud800"),
    ],
)
def test_literals(text: str, value: object) -> None:
    literal = value_of(text)
    assert isinstance(literal, LiteralSpec)
    assert repr(literal.value) == repr(value)  # 1, 1.0 and True are equal, nan is not


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("@pkg.mod:obj", RefSpec("pkg.mod:obj")),
        ("@pkg.mod:make().field", RefSpec("pkg.mod:make().field")),
        ("@path/file.py:attr", RefSpec("path/file.py:attr")),
        ("@ mod:obj ", RefSpec("mod:obj")),
        ("@'a,b.py:attr'", RefSpec("a,b.py:attr")),
        ("@data/x.npy", NpySpec("data/x.npy")),
        ("@my data/x.npy", NpySpec("my data/x.npy")),
        ("@'a, b.NPY'", NpySpec("a, b.NPY")),
        ("[]", ListSpec(())),
        ("[ 4xf32 , 2 ]", ListSpec((TensorSpec((4,), "f32"), LiteralSpec(2)))),
        ("[@mod:a,@mod:b]", ListSpec((RefSpec("mod:a"), RefSpec("mod:b")))),
        ("{}", DictSpec(())),
        (
            "{mask: 4xb8:ones, 'a b': 1, 2: None, -1.5: [], True: {}, None: inf}",
            DictSpec(
                (
                    ("mask", TensorSpec((4,), "b8", "ones")),
                    ("a b", LiteralSpec(1)),
                    (2, LiteralSpec(None)),
                    (-1.5, ListSpec(())),
                    (True, DictSpec(())),
                    (None, LiteralSpec(math.inf)),
                )
            ),
        ),
        ("{f32: 1}", DictSpec((("f32", LiteralSpec(1)),))),
        ("{mode:'sin'}", DictSpec((("mode", LiteralSpec("sin")),))),
    ],
)
def test_references_lists_and_dicts(text: str, value: ValueSpec) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_is_a_call_without_arguments(text: str) -> None:
    assert parse_call(text) == CallSpec(())


def test_the_comma_is_the_next_argument_and_names_are_kept() -> None:
    assert parse_call("4x8xf32, 2 ,scale = 0.5,größe='sin'") == CallSpec(
        (
            ArgSpec(TensorSpec((4, 8), "f32")),
            ArgSpec(LiteralSpec(2)),
            ArgSpec(LiteralSpec(0.5), "scale"),
            ArgSpec(LiteralSpec("sin"), "größe"),
        )
    )


def test_nesting_up_to_the_limit_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert str(parse_call(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "'" + "a" * 200_000,
        "(" * 200_000,
        "1x" * 200_000,
        "a." * 200_000,
        "@" + "(a" * 100_000,
        "@'" + "a.b" * 50_000 + "'",
        "x" * 200_000 + "=",
        "4xf32" + ":zeros" * 50_000,
    ],
    ids=brief,
)
def test_long_nonsense_is_refused_quickly_and_in_few_words(text: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_call(text)
    assert len(caught.value.message) < 250
    assert len(caught.value.hint or "") < 150
