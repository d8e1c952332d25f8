"""`--inputs`: a function or list of the user's that gives the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from ...call import Call
from ...errors import InputError
from ...spec.model import Options
from ..dynamo.taps import is_module
from ..target.load import load_object
from ..target.tracebacks import error_line, user_traceback
from .avals import aval_text, type_name

MAX_CALLS = 1_000_000
_FORMS = "give dynprobe.Call objects, (args, kwargs) pairs, or, for one argument, bare values"


def listed_calls(text: str, options: Options) -> list[Call]:
    """The calls that the object `text` names gives, `options.repeat` times over.

    A function is called without arguments once for each repetition; anything else is iterated
    once. Raises InputError that says which call is wrong, TargetError, GrammarError.
    """
    source = load_object(text, options)
    if not _is_function(source):
        calls = calls_from(source, text)
        _check_count(len(calls) * options.repeat, text)
        return calls * options.repeat
    calls = []
    for _ in range(options.repeat):
        calls += calls_from(_called(source, text), text)
        _check_count(len(calls), text)
    return calls


def calls_from(items: object, text: str) -> list[Call]:
    """`items` as calls: `Call` objects as they are; a tuple of a tuple or list and a dict as args
    and kwargs; any other value as the one argument. `text` names their source in messages.
    Raises InputError."""
    if isinstance(items, Call) or _is_pair(items):
        items = [items]  # one call, meant as a list of one
    calls = [_call(item, index, text) for index, item in enumerate(_collected(items, text))]
    if not calls:
        raise InputError(f"{text} gives no calls", hint=_FORMS)
    return calls


def _is_function(source: Any) -> bool:
    return callable(source) and not isinstance(source, Iterable) and not is_module(source)


def _called(source: Callable[[], Any], text: str) -> Any:
    try:
        return source()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InputError(
            f"{text}() raised {error_line(error)}", detail=user_traceback(error)
        ) from None


def _collected(items: Any, text: str) -> list[Any]:
    if isinstance(items, (str, bytes, Mapping)) or not _is_list_like(items):
        raise InputError(
            f"{text} gives {aval_text(items)}, which is no list of calls",
            hint=f"give a list, even of one; {_FORMS}",
        )
    collected: list[Any] = []
    try:
        collected.extend(islice(items, MAX_CALLS + 1))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        count = len(collected)
        raise InputError(
            f"{text} raised {error_line(error)} after {count} call{'' if count == 1 else 's'}",
            detail=user_traceback(error),
        ) from None
    _check_count(len(collected), text)
    return collected


def _is_list_like(items: object) -> bool:
    """A tensor or array can be iterated too, but its rows are hardly meant as calls."""
    if type_name(items) == "ndarray" or hasattr(type(items), "__torch_function__"):
        return False
    return isinstance(items, Iterable)


def _check_count(count: int, text: str) -> None:
    if count > MAX_CALLS:
        raise InputError(f"{text} gives more than {MAX_CALLS:,} calls, which is the most")


def _is_pair(item: object) -> bool:
    return (
        type(item) is tuple
        and len(item) == 2
        and isinstance(item[0], (tuple, list))
        and isinstance(item[1], dict)
    )


def _call(item: Any, index: int, text: str) -> Call:
    if isinstance(item, Call):
        call = item
    elif _is_pair(item):
        call = Call(item[0], item[1])
    else:
        return Call((item,))
    problem = _problem(call)
    if problem:
        raise InputError(f"call {index} of {text}: {problem}", hint=_FORMS)
    return call


def _problem(call: Call) -> str | None:
    if isinstance(call.args, (str, bytes)) or not isinstance(call.args, Sequence):
        return f"its args are {aval_text(call.args)}, not a tuple: write Call((x,))"
    if not isinstance(call.kwargs, Mapping):
        return f"its kwargs are {aval_text(call.kwargs)}, not a dict"
    for key in call.kwargs:
        if not isinstance(key, str):
            return f"a key of its kwargs is {aval_text(key)}, not a string"
    if call.label is not None and not isinstance(call.label, str):
        return f"its label is {aval_text(call.label)}, not a string"
    for name in ("before", "around"):
        hook = getattr(call, name)
        if hook is not None and not callable(hook):
            return f"its {name} is {aval_text(hook)}, which cannot be called"
    return None
