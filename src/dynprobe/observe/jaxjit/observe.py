"""The two observations of jax, each in a worker of its own: under `jax.jit`, and without."""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # read when jax is imported

import jax

from ...errors import DynprobeError
from ...report.patch import Finished, JaxLoaded, Loaded
from ...spec.model import Probe
from ..process.failure import failed_of
from ..run import Emit, began_of, prepared, started
from ..seeds import seed_call
from .aten.registry import load_tables
from .session import JaxSession
from .subject import subject_of


def warm_up() -> None:
    """Imports what the first call would."""
    load_tables()


def jitted(probe: Probe, *, emit: Emit) -> None:
    """Makes the calls of `probe` under `jax.jit`. A DynprobeError is told as `Failed`."""
    _told(probe, emit, unjitted=False)


def unjitted(probe: Probe, *, emit: Emit) -> None:
    """Makes the same calls of the same function without jit."""
    _told(probe, emit, unjitted=True)


def _told(probe: Probe, emit: Emit, *, unjitted: bool) -> None:
    try:
        _observe(probe, emit, unjitted=unjitted)
    except DynprobeError as error:
        emit(failed_of(error))


def _observe(probe: Probe, emit: Emit, *, unjitted: bool) -> None:
    options = probe.options
    emit(started(options, in_process=False))
    # Programs here run once or twice: compiling them well costs more than it gives.
    jax.config.update("jax_disable_most_optimizations", True)
    loaded, calls = prepared(probe)
    subject = subject_of(loaded, options, concrete=unjitted)
    session = JaxSession(subject, options, unjitted=unjitted)
    emit(Loaded(target=loaded.report(), calls=len(calls)))
    emit(JaxLoaded(jax=subject.facts()))
    for index, made in enumerate(calls):
        emit(began_of(index, made))
        seed_call(options.seed, index)
        emit(session.call(index, made))
    emit(JaxLoaded(jax=subject.facts()))
    emit(Finished())
