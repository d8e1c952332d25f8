"""Making one call of the target, with all that is held around it."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import inspect
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..values.make import MadeCall

_MOST_ITEMS = 100_000  # of a generator's results that are drawn before the call counts as done


@contextlib.contextmanager
def around(made: MadeCall, grad: bool | None) -> Iterator[None]:
    """The call's own `before` and `around`, and the grad mode that was asked for."""
    import torch

    with contextlib.ExitStack() as held:
        if made.before is not None:
            made.before()
        if made.around is not None:
            held.enter_context(made.around())
        if grad is not None:
            held.enter_context(torch.set_grad_enabled(grad))
        yield


def call(function: Callable[..., Any], made: MadeCall, *, keep: bool = False) -> object:
    """Calls; what runs only when its result is consumed (a generator, a coroutine) is consumed.
    With `keep` gives the result: of a generator its items, of a coroutine what it returns."""
    result = function(*made.args, **made.kwargs)
    if isinstance(result, types.GeneratorType):
        items = itertools.islice(result, _MOST_ITEMS)
        return list(items) if keep else collections.deque(items, maxlen=0)
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    return result if keep else None


def eagerly(
    function: Callable[..., Any], made: MadeCall, grad: bool | None
) -> BaseException | None:
    """The same call without Dynamo: what it raises, or None."""
    import torch

    try:
        with torch.compiler.set_stance("force_eager"), around(made, grad):
            call(function, made)
    except BaseException as error:
        return error
    return None
