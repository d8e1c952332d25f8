"""The same calls without Dynamo, in a process of their own: what `--eager` compares with."""

from __future__ import annotations

import torch

from ..errors import DynprobeError
from ..report.patch import Finished, Loaded
from ..spec.model import Probe
from .compare.record import Recorder, recorded
from .dynamo.calling import around, call
from .process.failure import failed_of
from .run import Emit, began_of, prepared, started
from .seeds import seed_call


def observe(probe: Probe, *, emit: Emit) -> None:
    """Makes the calls of `probe` as plain Python, each recorded in `probe.options.record`. A
    DynprobeError is told as `Failed`; an exception of the target is in the record."""
    try:
        _observe(probe, emit)
    except DynprobeError as error:
        emit(failed_of(error))


def _observe(probe: Probe, emit: Emit) -> None:
    options = probe.options
    emit(started(options, in_process=False))
    loaded, calls = prepared(probe)
    recorder = None if options.record is None else Recorder(options.record, loaded, plain=True)
    emit(Loaded(target=loaded.report(), calls=len(calls)))
    with torch.compiler.set_stance("force_eager"):
        for index, made in enumerate(calls):
            emit(began_of(index, made))
            seed_call(options.seed, index)
            try:
                with (
                    around(made, options.grad),
                    recorded(recorder, index, made) as kept,
                ):
                    kept.result = call(loaded.callable, made, keep=True)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
    emit(Finished())
