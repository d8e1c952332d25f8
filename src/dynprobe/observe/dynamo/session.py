"""One observation of Dynamo: compile the target, call it, and tell what each call did."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...errors import InternalError, TargetError
from ...report import Call, CallError, FrameRun, Outcome, Unknown
from ...report.patch import Patch
from ...spec.model import Options
from ..compare.record import Recorder, recorded
from ..target.load import LoadedTarget, code_layers
from ..target.names import did_you_mean
from ..values.make import MadeCall
from . import taps
from .book import CallRecord, Subject
from .calling import around, call, eagerly
from .errors import call_error, error_line, short
from .outcome import worst
from .places import Places
from .skips import count_calls
from .target import argument, positional_names
from .watch import Watcher

_TENSOR = re.compile(r"\b(?:f|bf|i|u|b|c)\d+\w*\[")
_open = False


class DynamoSession:
    """Watches Dynamo from `__enter__` to `__exit__`; only one can be open in a process.

    `in_process` puts back everything Dynamo keeps for the process (entries, counters, numbers of
    frames) on exit, and lets KeyboardInterrupt pass. `fresh` makes Dynamo forget what it has kept
    for the process, on entry and on exit: what came before is then as if it had never been.
    """

    def __init__(
        self,
        loaded: LoadedTarget,
        options: Options,
        *,
        in_process: bool = False,
        fresh: bool = False,
    ) -> None:
        self._loaded = loaded
        self._options = options
        self._in_process = in_process
        self._fresh = fresh
        self._places = Places(loaded.file)
        self._stack = contextlib.ExitStack()
        self._ops = self._graphs = 0
        self._failed: dict[int, Call] = {}
        self._missing: tuple[Unknown, ...] = ()
        self._recorder = None if options.record is None else Recorder(options.record, loaded)

    def __enter__(self) -> DynamoSession:
        global _open
        if _open:
            raise InternalError("a dynprobe observation is already open in this process")
        compiler = _find_backend(self._options.backend)
        _open = True
        with contextlib.ExitStack() as opening:
            opening.callback(_close)
            self._install(opening)
            self._compiled = self._compile(compiler)
            self._stack = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _install(self, opening: contextlib.ExitStack) -> None:
        loaded, options = self._loaded, self._options
        state = taps.DynamoState()
        self._watcher = Watcher(
            Subject(
                name=loaded.name,
                called=loaded.callable,
                target=loaded.code,
                wrappers={id(code): code for code in code_layers(loaded.callable)},
                positional=positional_names(loaded),
                places=self._places,
            ),
            graph_code=options.graph_code,
            state=state,
            why_dynamic="dynamic=True" if self._all_dynamic() else "automatic",
        )
        if self._in_process:
            opening.callback(state.restore)
            state.forget_sizes()
        if self._fresh:
            taps.forget()
            opening.callback(taps.forget)
        opening.enter_context(taps.quiet_warnings())
        installed = opening.enter_context(taps.Taps(self._watcher))
        self._missing = tuple(Unknown(what=m.what, reason=m.reason) for m in installed.missing)
        if options.recompile_limit is not None:
            opening.enter_context(taps.config_patch(recompile_limit=options.recompile_limit))

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
                loaded.callable,
                backend=backend,
                dynamic=options.dynamic,
                fullgraph=options.fullgraph,
            )
        except Exception as error:
            said = error_line(error)
            raise TargetError(f"torch.compile does not take {loaded.name}: {said}") from error

    def _all_dynamic(self) -> bool:
        if self._loaded.compiled:
            return self._loaded.compile_options.get("dynamic") == "true"
        return bool(self._options.dynamic)

    @property
    def recompile_limit(self) -> int | None:
        """The limit of cache entries per code object in force."""
        return self._options.recompile_limit or taps.default_recompile_limit()

    def call(self, index: int, made: MadeCall, inputs: tuple[str, ...]) -> Patch:
        """Calls the target once. The target's own exceptions, SystemExit included, are in the
        patch's `call.error`; nothing of theirs is raised."""
        watcher = self._watcher
        record = watcher.begin_call(index)
        error = self._run(index, made)
        watcher.end_call()
        self._target_in_silence(record, inputs)
        crossed = watcher.sites.end_call(index)
        self._ops += record.ops_captured
        self._graphs += record.graphs_compiled
        rows = record.run_rows()
        outcome, reason = self._outcome(rows, error)
        row = Call(
            index=index,
            label=made.label,
            inputs=inputs,
            outcome=outcome,
            ops_captured=record.ops_captured,
            calls_captured=self._ops,
            graphs_compiled=record.graphs_compiled,
            unique_graphs=self._graphs,
            graph_runs=record.graph_runs,
            ops_run=record.ops_run,
            breaks_crossed=crossed,
            reason=reason,
            error=error,
            frames=rows,
        )
        if error is not None:
            self._failed[index] = row
        missing, self._missing = self._missing, ()  # told once
        return Patch(
            call=row,
            frames=record.frame_rows(),
            entries=tuple(record.entries),
            graph_breaks=watcher.sites.changed_rows(),
            recompiles=tuple(record.recompiles),
            unknown=(*missing, *record.unknown),
        )

    def eager_checks(self, made: Sequence[MadeCall]) -> Iterator[Patch]:
        """For each call that raised: the same call once more without Dynamo, after all calls, so
        that it changes nothing for them. Each patch replaces the call's row."""
        for index, row in self._failed.items():
            assert row.error is not None
            raised = eagerly(self._loaded.callable, made[index], self._options.grad)
            if self._in_process and isinstance(raised, KeyboardInterrupt):
                raise raised
            known: dict[str, object] = {"eager_raises": raised is not None}
            if raised is not None:
                known["eager_error"] = error_line(raised)
            error = row.error.model_copy(update=known)
            yield Patch(call=row.model_copy(update={"error": error}))

    def _run(self, index: int, made: MadeCall) -> CallError | None:
        watcher = self._watcher
        try:
            for name, dim in self._options.mark_dynamic:
                value = argument(self._loaded, made, name)
                if hasattr(value, "dim"):
                    taps.mark_dynamic(value, dim)
            with (
                around(made, self._options.grad),
                recorded(self._recorder, index, made) as kept,
                count_calls(watcher.watched_codes(), watcher.ran),
            ):
                kept.result = call(self._compiled, made, keep=self._recorder is not None)
        except BaseException as error:
            if self._in_process and isinstance(error, KeyboardInterrupt):
                raise
            return call_error(error, self._places)
        return None

    def _outcome(
        self, rows: Sequence[FrameRun], error: CallError | None
    ) -> tuple[Outcome, str | None]:
        if error is not None:
            return "error", short(error)
        row = worst(rows, (self._loaded.file, self._loaded.line))
        if row is None:
            off = "Dynamo is switched off (torch._dynamo.config.disable)"
            return "skip", off if taps.dynamo_disabled() else "no frame of it reached Dynamo"
        return row.outcome, row.reason

    def _target_in_silence(self, record: CallRecord, inputs: tuple[str, ...]) -> None:
        """The target ran and told nothing: Dynamo remembers it as skipped."""
        frame = self._watcher.target_frame()
        if frame is None or frame.state != "skipped" or record.has_run_of(frame):
            return
        nothing_lost = frame.benign and not any(_TENSOR.search(text) for text in inputs)
        self._watcher.ran_skipped(frame.code, nothing_lost)


def _close() -> None:
    global _open
    _open = False


def _find_backend(name: str) -> Any:
    try:
        return taps.resolve_backend(name)
    except KeyError as error:
        _, known, usual = error.args
        raise TargetError(
            f"there is no backend '{name}'{did_you_mean(name, known)}",
            hint="for example " + ", ".join(usual),
        ) from None


def _own_backend(compiler: Any) -> Callable[[Any, Any], Any]:
    def backend(module: Any, example_inputs: Any) -> Any:
        return compiler(module, example_inputs)

    return backend
