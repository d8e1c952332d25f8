"""An observation in the caller's own process, which it leaves as it found it."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ..call import Call
from ..errors import DynprobeError, TargetError
from ..report import End, Report
from ..report.patch import Event
from ..spec.model import Options, Probe
from .assemble import Assembler
from .process.ending import as_call_error, as_end, by_interrupt
from .run import observe_or_raise, started, watch
from .target.load import LoadedTarget, describe
from .target.signature import check_call
from .values.avals import aval_text
from .values.inputs import calls_from
from .values.make import MadeCall

DONE = End(complete=True, kind="done")


def explain(
    fn: Callable[..., Any],
    calls: Sequence[Call | tuple[Sequence[Any], dict[str, Any]] | Any],
    *,
    backend: str = "eager",
    dynamic: bool | None = None,
    mark_dynamic: Sequence[tuple[str, int]] = (),
    fullgraph: bool = False,
    grad: bool | None = None,
    train: bool | None = None,
    recompile_limit: int | None = None,
    seed: int = 0,
    repeat: int = 1,
    graph_code: bool = False,
) -> Report:
    """What `torch.compile(fn)` does on each of `calls`, observed in this process.

    `calls` holds `dynprobe.Call` objects, `(args, kwargs)` pairs or, for a function of one
    argument, its bare values. `mark_dynamic` names arguments and their dimensions:
    `[("x", 0)]`. The other options are those of `torch.compile`, or as in `dynprobe explain
    --help`. The process is left as it was found: Dynamo's cache, config, hooks and counters,
    warnings filters, random states, and the training mode of `fn` where it is a module.

    An exception of `fn` is in the report's row of that call. Raises DynprobeError where `fn` or
    `calls` is not what is said here; KeyboardInterrupt passes.
    """
    options = Options(
        backend=backend,
        dynamic=dynamic,
        mark_dynamic=tuple(mark_dynamic),
        fullgraph=fullgraph,
        grad=grad,
        train=train,
        recompile_limit=recompile_limit,
        seed=seed,
        repeat=repeat,
        graph_code=graph_code,
    )
    if not callable(fn):
        raise TargetError(f"fn is {aval_text(fn)}, which cannot be called")
    seen = Assembler()
    with _as_found(describe(fn).module):
        seen.apply(started(options, in_process=True))
        loaded = describe(fn, train=train)
        made = _made(calls, loaded, repeat)
        watch(loaded, made, options, emit=seen.apply, in_process=True)
    return seen.report(DONE)


def _made(calls: object, loaded: LoadedTarget, repeat: int) -> list[MadeCall]:
    listed = calls_from(calls, "calls") * repeat
    for index, call in enumerate(listed):
        check_call(loaded, call.args, call.kwargs, index, typed=False)
    return [
        MadeCall(tuple(call.args), dict(call.kwargs), call.label, call.before, call.around)
        for call in listed
    ]


def observe_here(probe: Probe, *, on_event: Callable[[Event], None] | None = None) -> Report:
    """The report of `probe`, observed in this process: no time limit, no protection from what the
    target does to it. For a debugger.

    Raises DynprobeError where there is nothing to report. An interrupt once the target is loaded
    ends the report; before that it passes.
    """
    seen = Assembler()

    def emit(event: Event) -> None:
        seen.apply(event)
        if on_event is not None:
            on_event(event)

    try:
        with _as_found(None):
            observe_or_raise(probe, emit=emit, in_process=True)
    except DynprobeError as error:
        if not seen.calls:
            raise
        return seen.report(End(complete=False, kind="failed", message=error.message))
    except KeyboardInterrupt:
        if seen.loaded is None:
            raise
        ending = by_interrupt("")
        return seen.report(as_end(ending, seen), as_call_error(ending, seen))
    return seen.report(DONE)


@contextmanager
def _as_found(module: torch.nn.Module | None) -> Iterator[None]:
    """Puts back what lies outside Dynamo, whose own state its session puts back."""
    modes = {m: m.training for m in module.modules()} if module is not None else {}
    python = random.getstate()
    numpy = sys.modules.get("numpy")
    numbers = numpy.random.get_state() if numpy is not None else None
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    try:
        with warnings.catch_warnings(), torch.random.fork_rng(devices):
            yield
    finally:
        random.setstate(python)
        if numpy is not None and numbers is not None:
            numpy.random.set_state(numbers)
        for part, training in modes.items():
            part.training = training
