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
from .scan import Scanner, hint_of, shown
from .target import parse_target

# What `x:0` is made of. Two digits are enough: no tensor has a hundred dimensions.
_MARK = (r"\s*", r"([^\W\d]\w*)\s*", r":\s*", r"([0-9]{1,2})\s*")


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
    found = shown(given) if isinstance(given, str) else given
    return DynprobeError(f"{rule}, not {found}", hint=hint_of("for example", example))


def parse_mark_dynamic(text: str) -> tuple[str, int]:
    """`x:0`: an argument's name, and which of its dimensions is to be dynamic, from 0.

    Raises:
        GrammarError: `text` is not read.
    """
    found = re.fullmatch("".join(_MARK), text)
    if found:
        return found[1], int(found[2])
    s = Scanner(text)
    for part in _MARK:
        if not s.match(re.compile(part)):
            break
    raise s.error(
        f"{shown(text)} is not an argument's name, a colon and a dimension",
        hint_of("write it like this", "x:0"),
    )


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
