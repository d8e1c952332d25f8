"""TENSOR: `4x8xf32`, `f32`, `f32[4,8]`, with modifiers such as `:grad` and `:randint=100`.

`--shapes` reads the same, and lets the dtype be left out: `4x8`, `scalar`.
"""

from __future__ import annotations

import re

from .dtypes import canonical_dtype
from .model import TensorSpec
from .modifiers import read_modifiers
from .numbers import size_of
from .scan import Scanner, hint_of, shown

MAX_RANK = 64
"""Dimensions a tensor can have: reductions in torch take no more."""

_END = r"(?=[\s,:\[\]}]|\Z)"
_HEAD = re.compile(rf"((?:[0-9]+x)*)([A-Za-z][\w.]*){_END}")
_SIZES = re.compile(rf"[0-9]+(?:x[0-9]+)*{_END}")
_SCALAR = re.compile(rf"scalar{_END}")
_DIGITS = re.compile(r"[0-9]+")


def read_tensor(s: Scanner) -> TensorSpec | None:
    """The tensor with a dtype that comes next; None, and nothing read, where none does.

    Raises:
        GrammarError: it starts as a tensor does and does not go on as one.
    """
    start = s.pos
    head = s.match(_HEAD)
    dtype = canonical_dtype(head[2]) if head else None
    if head is None or dtype is None:
        s.pos = start
        return None
    shape = _sizes(s, head[1].rstrip("x"), start)
    if s.peek() == "[":
        if shape:
            raise s.error(
                "sizes are given before the dtype and after it",
                hint_of("give them once", f"4x8x{dtype}"),
            )
        shape = _bracketed(s, dtype)
    return read_modifiers(s, shape, dtype)


def read_shape(s: Scanner, default: str | None) -> TensorSpec | None:
    """As `read_tensor`, but where the dtype is left out it is `default`, and `scalar` is 0-d."""
    start = s.pos
    if s.match(_SCALAR):
        return read_modifiers(s, (), default)
    sizes = s.match(_SIZES)
    if sizes:
        return read_modifiers(s, _sizes(s, sizes[0], start), default)
    return read_tensor(s)


def _sizes(s: Scanner, text: str, at: int) -> tuple[int, ...]:
    sizes: list[int] = []
    for digits in text.split("x") if text else []:
        _check_rank(s, len(sizes) + 1, at)
        sizes.append(size_of(s, digits, at))
        at += len(digits) + 1
    return tuple(sizes)


def _bracketed(s: Scanner, dtype: str) -> tuple[int, ...]:
    """`[4,8]` after a dtype, as fx and jaxpr print it; `[]` is 0-d."""
    s.accept("[")
    s.blanks()
    sizes: list[int] = []
    while sizes or s.peek() != "]":
        _check_rank(s, len(sizes) + 1, s.pos)
        sizes.append(_bracketed_size(s, dtype))
        s.blanks()
        if s.peek() == "]":
            break
        if not s.accept(","):
            raise _wrong_brackets(s, f"a comma or ] comes after a size, not {s.found()}", dtype)
        s.blanks()
    s.accept("]")
    if s.peek() == "[":
        raise _wrong_brackets(s, "strides are not read, only sizes", dtype)
    return tuple(sizes)


def _bracketed_size(s: Scanner, dtype: str) -> int:
    at = s.pos
    digits = s.match(_DIGITS)
    if digits:
        return size_of(s, digits[0], at)
    if s.peek() == "-":
        raise _wrong_brackets(s, "a size cannot be negative", dtype)
    found = shown(s.item(at)) if s.item(at) else s.found()
    raise _wrong_brackets(s, f"a size is a whole number, not {found}", dtype)


def _wrong_brackets(s: Scanner, message: str, dtype: str) -> Exception:
    return s.error(message, hint_of("write the sizes like this", f"{dtype}[4,8]"))


def _check_rank(s: Scanner, rank: int, at: int) -> None:
    if rank > MAX_RANK:
        raise s.error(
            f"a tensor has at most {MAX_RANK} dimensions", hint_of("give fewer", "4x8xf32"), at
        )
