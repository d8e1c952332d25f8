"""What the grammar prints it reads back, and no text makes it raise anything but its own error."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dynprobe.errors import GrammarError
from dynprobe.spec.calls import parse_call, parse_shapes
from dynprobe.spec.dtypes import DTYPES
from dynprobe.spec.model import (
    ArgSpec,
    CallSpec,
    DictSpec,
    ListSpec,
    LiteralSpec,
    NpySpec,
    RefSpec,
    Scalar,
    TensorSpec,
    ValueSpec,
)
from dynprobe.spec.modifiers import INITS, LAYOUTS
from dynprobe.spec.probe import parse_mark_dynamic
from dynprobe.spec.target import parse_target

quick = settings(max_examples=300, deadline=None)

sizes = st.lists(st.integers(0, 20) | st.integers(0, 2**63 - 1), max_size=5).map(tuple)
names = st.from_regex(r"[^\W\d]\w{0,8}", fullmatch=True).filter(str.isidentifier)
odd_text = st.text(max_size=12) | st.text(alphabet="'\"\\\n,:=[]{}@ aü\0\ud800", max_size=8)


@st.composite
def tensors(draw: st.DrawFn, dtypes: st.SearchStrategy[str | None]) -> TensorSpec:
    """Tensors that can be had: the grammar refuses the others."""
    shape = draw(sizes)
    dtype = draw(dtypes)
    floats = dtype is None or DTYPES[dtype].differentiable
    init = draw(
        st.sampled_from([None, *(i for i in INITS if floats or i not in ("rand", "randn"))])
    )
    high = draw(st.none() | st.integers(1, 2**63 - 1)) if init == "randint" else None
    can = {"channels_last": len(shape) in (4, 5), "noncontiguous": math.prod(shape) > 1}
    layout = draw(st.sampled_from(["contiguous", *(one for one in LAYOUTS if can[one])]))
    return TensorSpec(shape, dtype, init, high, floats and draw(st.booleans()), layout)


@st.composite
def targets(draw: st.DrawFn) -> str:
    file = st.text(alphabet="ab/. ()[]{},:'\\é-", max_size=10).map(lambda text: f"a{text}.py")
    module = st.lists(names, min_size=1, max_size=3).map(".".join)
    steps = st.lists(names | names.map("{}()".format), min_size=1, max_size=3).map(".".join)
    return f"{draw(module | file)}:{draw(steps)}"


scalars: st.SearchStrategy[Scalar] = (
    st.none() | st.booleans() | st.integers() | st.floats() | odd_text | names
)
paths = odd_text.filter(lambda text: "\0" not in text).map(lambda text: f"{text}.npy")
leaves: st.SearchStrategy[ValueSpec] = st.one_of(
    tensors(st.sampled_from(list(DTYPES))),
    scalars.map(LiteralSpec),
    targets().map(RefSpec),
    paths.map(NpySpec),
)
values: st.SearchStrategy[ValueSpec] = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: ListSpec(tuple(items)))
        | st.dictionaries(scalars, inner, max_size=4).map(
            lambda items: DictSpec(tuple(items.items()))
        )
    ),
    max_leaves=8,
)


@st.composite
def calls(draw: st.DrawFn) -> CallSpec:
    positional = [ArgSpec(value) for value in draw(st.lists(values, max_size=3))]
    named = draw(st.dictionaries(names, values, max_size=3))
    return CallSpec((*positional, *(ArgSpec(value, name) for name, value in named.items())))


@given(calls())
@quick
def test_a_call_reads_back(call: CallSpec) -> None:
    # By repr: nan is not equal to itself, and 1 == True == 1.0 would hide a change of type.
    assert repr(parse_call(str(call))) == repr(call)


@given(st.lists(tensors(st.sampled_from([None, *DTYPES])), min_size=1, max_size=4))
@quick
def test_shapes_read_back(given_tensors: list[TensorSpec]) -> None:
    shapes = tuple(CallSpec((ArgSpec(tensor),)) for tensor in given_tensors)
    assert parse_shapes(",".join(str(shape) for shape in shapes)) == shapes


@given(targets())
@quick
def test_a_target_reads_back(text: str) -> None:
    target = parse_target(text)
    assert str(target) == text
    head = target.module or target.file
    steps = "".join(step if step == "()" else f".{step}" for step in target.steps)
    assert f"{head}:{steps[1:]}" == text


PIECES = [
    *("4x8xf32", "0xf32", "f32[4,8]", "scalar", "4", "x", "-", "0x", "f8_e4m3fn", "torch.", "1e-3"),
    *(":grad", ":randint=", ":zeros", ":channels_last", "inf", "nan", "None", "True", "name=", "="),
    *("[", "]", "{", "}", "(", ")", "()", ",", ":", ".", "'", '"', "\\", "\\x", "\\N{", "@", " "),
    *("pkg.mod:fn", "file.py", ".npy", "C:\\", "/", "::", "9" * 30, "\0", "²", "\ud800", "é", "\n"),
]
nonsense = st.text() | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def refusal(parse: Callable[[str], object], text: str) -> GrammarError | None:
    try:
        parse(text)
    except GrammarError as error:
        return error
    return None


def reads_or_refuses(parse: Callable[[str], object], text: str) -> None:
    """Any other exception fails the test; so does a caret out of place, or an example in a hint
    that is refused in its turn."""
    error = refusal(parse, text)
    if error is None:
        return
    assert error.text == text
    assert 0 <= error.position <= len(text)
    assert error.message == error.message.strip()
    assert "\n" not in error.message
    _, found, worked_example = (error.hint or "").partition(": ")
    assert found
    parse(worked_example)


@given(nonsense)
@example("9" * 5000 + "x4xf32")
@example("9223372036854775808x0")
@example("[" * 5000)
@example("{a:" * 5000)
@quick
def test_call_reads_or_refuses(text: str) -> None:
    reads_or_refuses(parse_call, text)


@given(nonsense)
@example("9" * 5000)
@example("9223372036854775808x;")
@quick
def test_shapes_reads_or_refuses(text: str) -> None:
    reads_or_refuses(parse_shapes, text)


@given(nonsense)
@quick
def test_target_reads_or_refuses(text: str) -> None:
    reads_or_refuses(parse_target, text)


@given(nonsense)
@example("x:" + "9" * 5000)
@quick
def test_mark_dynamic_reads_or_refuses(text: str) -> None:
    reads_or_refuses(parse_mark_dynamic, text)


def test_an_example_with_a_bracket_in_its_path_is_quoted() -> None:
    reads_or_refuses(parse_call, "[@'0000}.py']")


@given(calls().map(str), st.data())
@quick
def test_a_call_with_one_character_changed_is_read_or_refused(
    text: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(text)))
    new = data.draw(st.sampled_from(["", *"[]{}()'\"\\,:=@x0- \0"]))
    reads_or_refuses(parse_call, text[:at] + new + text[at + 1 :])
