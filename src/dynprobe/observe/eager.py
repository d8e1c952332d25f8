"""The same calls without Dynamo, in a process of their own: what `--eager` compares with."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..errors import DynprobeError
from ..report.patch import Finished, Loaded
from ..spec.model import Options, Probe
from .compare.record import Recorder, recorded
from .dynamo.calling import around, call
from .process.failure import failed_of
from .run import Emit, began_of, prepared, started
from .seeds import seed_call
from .target.load import LoadedTarget
from .values.make import MadeCall


def observe(probe: Probe, *, emit: Emit) -> None:
    """Makes the calls of `probe` as plain Python, each recorded in `probe.options.record`. A
    DynprobeError is told as `Failed`; an exception of the target is in the record."""
    try:
        _observe(probe, emit)
    except DynprobeError as error:
        emit(failed_of(error))


def _observe(probe: Probe, emit: Emit) -> None:
    emit(started(probe.options, in_process=False))
    loaded, calls = prepared(probe)
    watch(loaded, calls, probe.options, emit=emit)


def watch(loaded: LoadedTarget, calls: Sequence[MadeCall], options: Options, *, emit: Emit) -> None:
    """Makes `calls` of a target that is loaded, from `Loaded` to `Finished`. What is compiled
    within it runs as plain Python too."""
    recorder = None if options.record is None else Recorder(options.record, loaded, plain=True)
    emit(Loaded(target=loaded.report(), calls=len(calls)))
    with torch.compiler.set_stance("force_eager"):
        for index, made in enumerate(calls):
            emit(began_of(index, made))
            seed_call(options.seed, index)
            _make(index, made, loaded, options, recorder)
    emit(Finished())


def _make(
    index: int, made: MadeCall, loaded: LoadedTarget, options: Options, recorder: Recorder | None
) -> None:
    try:
        with around(made, options.grad), recorded(recorder, index, made) as kept:
            kept.result = call(loaded.callable, made, keep=True)
    except KeyboardInterrupt:
        raise
    except BaseException:  # the record has it; SystemExit is one too
        return
