"""Options that make no sense, dimensions to mark, and a probe's calls as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynprobe.errors import DynprobeError, GrammarError
from dynprobe.spec.calls import parse_call, parse_shapes
from dynprobe.spec.model import Options, Probe
from dynprobe.spec.probe import call_strings, check_options, parse_mark_dynamic, with_dtype
from dynprobe.spec.target import parse_target


def test_the_defaults_pass_unchanged() -> None:
    assert check_options(Options()) == Options()


def test_the_dtype_becomes_its_short_name() -> None:
    assert check_options(Options(dtype="torch.float64")).dtype == "f64"


@pytest.mark.parametrize(
    ("wrong", "message", "hint"),
    [
        ({"timeout": -1.0}, "timeout is a number of seconds above 0, not -1.0", "300"),
        ({"timeout": 0.0}, "timeout is a number of seconds above 0, not 0.0", "300"),
        ({"timeout": float("nan")}, "timeout is a number of seconds above 0, not nan", "300"),
        ({"timeout": float("inf")}, "timeout is a number of seconds above 0, not inf", "300"),
        ({"repeat": 0}, "repeat is a whole number from 1, not 0", "1"),
        ({"recompile_limit": 0}, "recompile-limit is a whole number from 1, not 0", "8"),
        ({"seed": 2**64}, f"seed is an integer of 64 bits, not {2**64}", "0"),
        (
            {"init": "normal"},
            "init is one of randn, rand, zeros, ones, arange, randint, empty, not 'normal'",
            "randn",
        ),
        (
            {"mark_dynamic": (("x", -1),)},
            "mark-dynamic counts dimensions from 0, not 'x:-1'",
            "x:0",
        ),
    ],
)
def test_nonsense_is_refused(wrong: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(DynprobeError) as caught:
        check_options(replace(Options(), **wrong))
    assert caught.value.message == message
    assert caught.value.hint == f"for example: {hint}"


def test_an_unknown_dtype_names_the_nearest() -> None:
    with pytest.raises(DynprobeError) as caught:
        check_options(Options(dtype="bflot16"))
    assert (caught.value.message, caught.value.hint) == ("'bflot16' is not a dtype", "write: bf16")


def test_a_setup_that_names_no_function_is_refused() -> None:
    with pytest.raises(GrammarError, match="names a file, and no function in it"):
        check_options(Options(setup="setup.py"))


@pytest.mark.parametrize(
    ("text", "marked"),
    [("x:0", ("x", 0)), (" input_ids : 12 ", ("input_ids", 12)), ("größe:1", ("größe", 1))],
)
def test_dimensions_to_mark(text: str, marked: tuple[str, int]) -> None:
    assert parse_mark_dynamic(text) == marked


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        (" 0:x", 1),
        ("x", 1),
        ("x=0", 1),
        ("x.y:0", 1),
        ("x:", 2),
        ("x: -1", 3),
        ("x:0,1", 3),
        ("x:100", 4),
    ],
)
def test_what_is_no_dimension(text: str, position: int) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_mark_dynamic(text)
    assert caught.value.message == f"{text!r} is not an argument's name, a colon and a dimension"
    assert (caught.value.position, caught.value.hint) == (position, "write it like this: x:0")


def test_calls_print_as_call_reads_them_with_the_default_dtype_filled_in() -> None:
    calls = (*parse_shapes("4x8:grad,scalar,4xi64"), parse_call("[f16,{a: 2}],mode='sin'"))
    probe = Probe(parse_target("m:f"), calls, options=Options(dtype="f64"))
    strings = call_strings(probe)
    assert strings == ("4x8xf64:grad", "f64", "4xi64", "[f16,{a: 2}],mode='sin'")
    assert tuple(parse_call(text) for text in strings) == tuple(
        with_dtype(call, "f64") for call in calls
    )
