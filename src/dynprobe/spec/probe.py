"""Whether a probe's options make sense, and a probe's calls as text."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import get_args

from ..errors import DynprobeError
from .dtypes import known_dtype
from .model import (
    ArgSpec,
    CallSpec,
    DictSpec,
    Init,
    ListSpec,
    Options,
    Probe,
    TensorSpec,
    ValueSpec,
)
from .numbers import size_of
from .scan import Scanner, hint_of, shown
from .target import parse_target

_MARK = re.compile(r"\s*([^\W\d]\w*)\s*:\s*([0-9]+)\s*")


def check_options(options: Options) -> Options:
    """`options` with the dtype's short name.

    Raises:
        DynprobeError: a value makes no sense; the message names the option.
    """
    if not (0 < options.timeout < math.inf):
        raise _refuse("timeout is a number of seconds above 0", options.timeout, "300")
    if options.repeat < 1:
        raise _refuse("repeat is a whole number from 1", options.repeat, "1")
    limit = options.recompile_limit
    if limit is not None and limit < 1:
        raise _refuse("recompile-limit is a whole number from 1", limit, "8")
    if not -(2**63) <= options.seed < 2**64:
        raise _refuse("seed is an integer of 64 bits", options.seed, "0")
    if options.init not in get_args(Init):
        raise _refuse(f"init is one of {', '.join(get_args(Init))}", options.init, "randn")
    for name, dimension in options.mark_dynamic:
        if dimension < 0:
            raise _refuse("mark-dynamic counts dimensions from 0", f"{name}:{dimension}", "x:0")
    if options.setup is not None:
        parse_target(options.setup)
    return replace(options, dtype=known_dtype(options.dtype))


def _refuse(rule: str, given: object, example: str) -> DynprobeError:
    return DynprobeError(f"{rule}, not {given}", hint=hint_of("for example", example))


def parse_mark_dynamic(text: str) -> tuple[str, int]:
    """`x:0`: an argument's name, and which of its dimensions is to be dynamic, from 0.

    Raises:
        GrammarError: `text` is not read.
    """
    s = Scanner(text)
    found = s.match(_MARK)
    if found and s.at_end():
        return found[1], size_of(s, found[2], found.start(2))
    raise s.error(
        f"{shown(text)} is not an argument's name, a colon and a dimension",
        hint_of("write it like this", "x:0"),
        _mark_place(text),
    )


def _mark_place(text: str) -> int:
    """Where `x:0` stops being read: at the name, at the dimension, or after it."""
    for pattern in (r"\s*[^\W\d]\w*\s*:\s*[0-9]+\s*", r"\s*[^\W\d]\w*\s*:\s*", r"\s*[^\W\d]\w*\s*"):
        found = re.match(pattern, text)
        if found:
            return found.end()
    return len(text) - len(text.lstrip())


def call_strings(probe: Probe) -> tuple[str, ...]:
    """The probe's calls, in order, as `--call` reads them; the default dtype is filled in."""
    return tuple(str(with_dtype(call, probe.options.dtype)) for call in probe.calls)


def with_dtype(call: CallSpec, dtype: str) -> CallSpec:
    """`call` with `dtype` (a short name) for each tensor that has none."""
    args = tuple(ArgSpec(_filled(arg.value, dtype), arg.name) for arg in call.args)
    return replace(call, args=args)


def _filled(value: ValueSpec, dtype: str) -> ValueSpec:
    if isinstance(value, TensorSpec):
        return value if value.dtype else replace(value, dtype=dtype)
    if isinstance(value, ListSpec):
        return ListSpec(tuple(_filled(item, dtype) for item in value.items))
    if isinstance(value, DictSpec):
        return DictSpec(tuple((key, _filled(item, dtype)) for key, item in value.items))
    return value
