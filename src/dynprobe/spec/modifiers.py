"""What follows a tensor: how it is filled, laid out, and whether it requires grad."""

from __future__ import annotations

import difflib
import math
import re
from typing import cast, get_args

from ..errors import GrammarError
from .dtypes import DTYPES
from .model import Init, Layout, TensorSpec
from .numbers import size_of
from .scan import Scanner, hint_of, shown

INITS: tuple[str, ...] = get_args(Init)
LAYOUTS: tuple[str, ...] = tuple(name for name in get_args(Layout) if name != "contiguous")
MODIFIERS: tuple[str, ...] = ("grad", *INITS, *LAYOUTS)

_MODIFIER = re.compile(r"\w*")
_ARGUMENT = re.compile(r"[^\s,:\]}]*")
_COUNT = re.compile(r"0*[1-9][0-9]*")
_RANDINT = "4x8xi64:randint=100"
_GRAD = "4x8xf32:grad"


def read_modifiers(s: Scanner, shape: tuple[int, ...], dtype: str | None) -> TensorSpec:
    """The tensor of this shape and dtype with the modifiers that come next.

    Raises:
        GrammarError: a modifier is unknown, given twice, or cannot be had by such a tensor.
    """
    at: dict[str, int] = {}  # modifier: where it stands
    high: int | None = None
    while s.accept(":"):
        word = _modifier(s, at)
        high = _high(s, word) if s.accept("=") else high
    init = _only_one(s, at, INITS, "say how to fill the tensor")
    layout = _only_one(s, at, LAYOUTS, "say how to lay the tensor out")
    if "grad" in at:
        _check_grad(s, dtype, at["grad"])
    if init in ("randn", "rand"):
        _check_random(s, dtype, init, at[init])
    if layout:
        _check_layout(s, shape, layout, at[layout])
    return TensorSpec(
        shape=shape,
        dtype=dtype,
        init=cast("Init | None", init),
        high=high,
        requires_grad="grad" in at,
        layout=cast("Layout", layout or "contiguous"),
    )


def _modifier(s: Scanner, before: dict[str, int]) -> str:
    at = s.pos
    found = s.match(_MODIFIER)
    word = found[0] if found else ""
    if word not in MODIFIERS:
        raise _unknown(s, word, at)
    if word in before:
        raise s.error(f":{word} is given twice", hint_of("give each modifier once", _GRAD), at)
    before[word] = at
    return word


def _unknown(s: Scanner, word: str, at: int) -> GrammarError:
    known = ", ".join(f":{name}" for name in MODIFIERS)
    near = difflib.get_close_matches(word[:32], MODIFIERS, n=1) or ["grad"]
    what = shown(word) if word else s.found()
    hint = hint_of("write it like this", f"2x3x8x8xf32:{near[0]}")
    return s.error(f"{what} is no modifier; there are {known}", hint, at)


def _high(s: Scanner, word: str) -> int:
    at = s.pos
    if word != "randint":
        hint = hint_of("only randint takes one", _RANDINT)
        raise s.error(f":{word} takes no value", hint, at - 1)
    argument = s.match(_ARGUMENT)
    digits = argument[0] if argument else ""
    if not _COUNT.fullmatch(digits):
        found = shown(digits) if digits else s.found()
        raise s.error(
            f"randint's bound is a whole number from 1, not {found}",
            hint_of("its numbers stay below the bound", _RANDINT),
            at,
        )
    return size_of(s, digits, at)


def _only_one(s: Scanner, at: dict[str, int], group: tuple[str, ...], both: str) -> str | None:
    given = [word for word in at if word in group]
    if len(given) > 1:
        raise s.error(
            f":{given[0]} and :{given[1]} both {both}",
            hint_of("keep one of them", f"2x3x8x8xf32:{given[0]}"),
            at[given[1]],
        )
    return given[0] if given else None


def _check_grad(s: Scanner, dtype: str | None, at: int) -> None:
    if dtype is not None and not DTYPES[dtype].differentiable:
        raise s.error(
            f"a tensor of dtype {dtype} cannot require grad; floats and complex numbers can",
            hint_of("make it a float", _GRAD),
            at,
        )


def _check_random(s: Scanner, dtype: str | None, init: str, at: int) -> None:
    if dtype is not None and not DTYPES[dtype].differentiable:
        raise s.error(
            f":{init} makes floats, and the dtype is {dtype}",
            hint_of("for whole numbers use randint", f"4x8x{dtype}:randint=2"),
            at,
        )


def _check_layout(s: Scanner, shape: tuple[int, ...], layout: str, at: int) -> None:
    if layout == "channels_last" and len(shape) not in (4, 5):
        raise s.error(
            f"a channels_last tensor has 4 dimensions (N, C, H, W) or 5, not {len(shape)}",
            hint_of("give it four sizes", "2x3x8x8xf32:channels_last"),
            at,
        )
    if layout == "noncontiguous" and math.prod(shape) < 2:
        raise s.error(
            "a tensor of fewer than 2 elements is always contiguous",
            hint_of("give it a larger size", "4x8xf32:noncontiguous"),
            at,
        )
