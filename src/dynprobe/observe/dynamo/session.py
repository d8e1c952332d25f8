"""One observation of Dynamo: compile the target, call it, and tell what each call did."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from ...errors import InternalError, TargetError
from ...report import Call, CallError, Frame, Outcome, Unknown
from ...report.patch import Patch
from ...spec.model import Options
from ..load import LoadedTarget, code_layers
from ..names import did_you_mean
from ..values import MadeCall
from . import taps
from .book import CallRecord
from .errors import call_error, error_line, short
from .outcome import worst
from .places import Places
from .skips import count_calls
from .target import positional_names, user_signature
from .watch import Watcher

_MOST_ITEMS = 100_000  # of a generator's results that are drawn before the call counts as done
_TENSOR = re.compile(r"\b(?:f|bf|i|u|b|c)\d+\w*\[")
_open = False


class DynamoSession:
    """Watches Dynamo from `__enter__` to `__exit__`; only one can be open in a process.

    `in_process` puts back everything Dynamo keeps for the process (entries, counters, numbers of
    frames) on exit, and does not swallow KeyboardInterrupt.
    """

    def __init__(self, loaded: LoadedTarget, options: Options, *, in_process: bool = False) -> None:
        self._loaded = loaded
        self._options = options
        self._in_process = in_process
        self._stack = contextlib.ExitStack()
        self._totals = {"ops": 0, "graphs": 0}
        self._failed: dict[int, Call] = {}
        self._told_missing = False

    def __enter__(self) -> DynamoSession:
        global _open
        if _open:
            raise InternalError("a dynprobe observation is already open in this process")
        compiler = _find_backend(self._options.backend)
        places = Places(self._loaded.file)
        state = taps.DynamoState()
        self._places = places
        self._watcher = Watcher(
            target=self._loaded.code,
            wrappers=frozenset(code_layers(self._loaded.callable)),
            positional=positional_names(self._loaded),
            places=places,
            graph_code=self._options.graph_code,
            state=state,
            why_dynamic=_why_dynamic(self._options),
        )
        _open = True
        self._stack.callback(_close)
        if self._in_process:
            self._stack.callback(state.restore)
        self._stack.enter_context(taps.quiet_warnings())
        self._taps = self._stack.enter_context(taps.Taps(self._watcher))
        if self._options.recompile_limit is not None:
            limit = self._options.recompile_limit
            self._stack.enter_context(taps.config_patch(recompile_limit=limit))
        try:
            self._compiled = self._compile(compiler)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def recompile_limit(self) -> int | None:
        """The limit of cache entries per code object in force."""
        return self._options.recompile_limit or taps.default_recompile_limit()

    def call(self, index: int, made: MadeCall, inputs: tuple[str, ...]) -> Patch:
        """Calls the target once. The target's own exceptions, SystemExit included, are in the
        patch's `call.error`; nothing of theirs is raised."""
        watcher = self._watcher
        record = watcher.record = CallRecord(index)
        error = self._run(made)
        watcher.end_call()
        self._target_in_silence(inputs)
        crossed = watcher.sites.end_call()
        self._totals["ops"] += record.ops_captured
        self._totals["graphs"] += record.graphs_compiled
        rows = record.frame_rows()
        outcome, reason = self._outcome(rows, error)
        call = Call(
            index=index, label=made.label, inputs=inputs, outcome=outcome,
            ops_captured=record.ops_captured, calls_captured=self._totals["ops"],
            graphs_compiled=record.graphs_compiled, unique_graphs=self._totals["graphs"],
            graph_runs=record.graph_runs, ops_run=record.ops_run, breaks_crossed=crossed,
            reason=reason, error=error, frames=rows,
        )  # fmt: skip
        if error is not None:
            self._failed[index] = call
        return Patch(
            call=call, frames=_frame_rows(record), entries=tuple(record.entries),
            graph_breaks=watcher.sites.changed_rows(), recompiles=tuple(record.recompiles),
            unknown=(*self._missing(), *record.unknown),
        )  # fmt: skip

    @property
    def failed(self) -> bool:
        return bool(self._failed)

    def eager_checks(self, made: Sequence[MadeCall]) -> Iterator[Patch]:
        """For each call that raised: the same call once more without Dynamo, after all calls, so
        that it changes nothing for them. Each patch replaces the call's row."""
        for index, call in self._failed.items():
            assert call.error is not None
            raised = self._eager(made[index])
            known: dict[str, object] = {"eager_raises": raised is not None}
            if raised is not None:
                known["eager_error"] = error_line(raised)
            error = call.error.model_copy(update=known)
            yield Patch(call=call.model_copy(update={"error": error}))

    def _compile(self, compiler: Any) -> Callable[..., Any]:
        import torch

        loaded, options = self._loaded, self._options
        if loaded.compiled:
            called: Callable[..., Any] = loaded.callable
            return called
        # Entries are found by their backend: one of our own keeps those of the caller apart.
        backend = _own_backend(compiler) if self._in_process else options.backend
        try:
            return torch.compile(  # type: ignore[no-any-return]
                loaded.callable, backend=backend, dynamic=options.dynamic,
                fullgraph=options.fullgraph,
            )  # fmt: skip
        except Exception as error:
            raise TargetError(
                f"torch.compile does not take {loaded.name}: {error_line(error)}"
            ) from error

    def _run(self, made: MadeCall) -> CallError | None:
        watcher = self._watcher
        try:
            self._mark_dynamic(made)
            with contextlib.ExitStack() as held:
                if made.before is not None:
                    made.before()
                if made.around is not None:
                    held.enter_context(made.around())
                held.enter_context(_grad(self._options.grad))
                codes = watcher.skipped_codes()
                held.enter_context(count_calls(codes, watcher.ran_skipped))
                _draw(self._compiled(*made.args, **made.kwargs))
        except KeyboardInterrupt as error:
            if self._in_process:
                raise
            return call_error(error, self._places)
        except BaseException as error:
            return call_error(error, self._places)
        return None

    def _eager(self, made: MadeCall) -> BaseException | None:
        import torch

        try:
            with torch.compiler.set_stance("force_eager"), contextlib.ExitStack() as held:
                if made.before is not None:
                    made.before()
                if made.around is not None:
                    held.enter_context(made.around())
                held.enter_context(_grad(self._options.grad))
                _draw(self._loaded.callable(*made.args, **made.kwargs))
        except BaseException as error:
            if self._in_process and isinstance(error, KeyboardInterrupt):
                raise
            return error
        return None

    def _mark_dynamic(self, made: MadeCall) -> None:
        for name, dim in self._options.mark_dynamic:
            value = _argument(self._loaded, made, name)
            if hasattr(value, "dim"):
                taps.mark_dynamic(value, dim)

    def _target_in_silence(self, inputs: tuple[str, ...]) -> None:
        """The target ran and told nothing: Dynamo remembers it as skipped."""
        watcher = self._watcher
        frame = watcher.frame_of(watcher.target)
        if frame is None or frame.state != "skipped" or watcher.record.has_run_of(frame):
            return
        nothing_lost = frame.benign and not any(_TENSOR.search(text) for text in inputs)
        watcher.ran_skipped(frame.code, nothing_lost)

    def _outcome(self, rows: Sequence[Any], error: CallError | None) -> tuple[Outcome, str | None]:
        if error is not None:
            return "error", short(error)
        row = worst(rows)
        if row is None:
            off = "Dynamo is switched off (torch._dynamo.config.disable)"
            return "skip", off if taps.dynamo_disabled() else "no frame of it reached Dynamo"
        return row.outcome, row.reason

    def _missing(self) -> tuple[Unknown, ...]:
        if self._told_missing:
            return ()
        self._told_missing = True
        return tuple(Unknown(what=m.what, reason=m.reason) for m in self._taps.missing)


def _close() -> None:
    global _open
    _open = False


def _frame_rows(record: CallRecord) -> tuple[Frame, ...]:
    frames = {run.frame.key: run.frame for run in record.runs if run.frame is not None}
    frames |= {key: f for key, f in record.touched.items() if f.entries or f.skip_reason}
    return tuple(frames[key].row() for key in sorted(frames))


def _find_backend(name: str) -> Any:
    try:
        return taps.resolve_backend(name)
    except KeyError as error:
        known: list[str] = error.args[1]
        raise TargetError(
            f"there is no backend '{name}'{did_you_mean(name, known)}",
            hint="known: " + ", ".join(known),
        ) from None


def _own_backend(compiler: Any) -> Callable[[Any, Any], Any]:
    def backend(module: Any, example_inputs: Any) -> Any:
        return compiler(module, example_inputs)

    return backend


def _why_dynamic(options: Options) -> Literal["dynamic=True", "automatic"]:
    return "dynamic=True" if options.dynamic else "automatic"


def _grad(grad: bool | None) -> contextlib.AbstractContextManager[Any]:
    import torch

    return contextlib.nullcontext() if grad is None else torch.set_grad_enabled(grad)


def _draw(result: Any) -> None:
    """Generators and coroutines run when they are consumed, so they are."""
    if isinstance(result, types.GeneratorType):
        for _ in itertools.islice(result, _MOST_ITEMS):
            pass
    elif inspect.iscoroutine(result):
        asyncio.run(result)


def _argument(loaded: LoadedTarget, made: MadeCall, name: str) -> Any:
    signature = user_signature(loaded)
    if signature is None:
        return made.kwargs.get(name)
    try:
        arguments = signature.bind(*made.args, **made.kwargs).arguments
    except TypeError:
        return made.kwargs.get(name)
    if name not in signature.parameters:
        raise TargetError(
            f"--mark-dynamic names '{name}', which {loaded.name} does not take",
            hint="its parameters: " + ", ".join(signature.parameters),
        )
    return arguments.get(name)
