"""The observation itself, in whatever process: load, make the calls, watch each."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import metadata
from typing import Literal

import torch

from .._version import __version__
from ..errors import DynprobeError
from ..report import Environment, Settings
from ..report.patch import Began, Event, Finished, Loaded, Started
from ..spec.model import Options, Probe
from .dynamo.session import DynamoSession
from .dynamo.taps import resolve_backend
from .dynamo.target import check_marks
from .process.failure import failed_of
from .seeds import seed_call, seed_generators
from .target.load import LoadedTarget, load_target, run_setup
from .values.avals import aval_text
from .values.make import MadeCall, make_calls

Emit = Callable[[Event], None]


def warm_up() -> None:
    """Imports what the first compilation would: torch looks for no backend before that, and then
    imports all it has."""
    resolve_backend("eager")


def observe(probe: Probe, *, emit: Emit) -> None:
    """Makes the calls of `probe` and tells what happens. A DynprobeError is told as `Failed`."""
    try:
        observe_or_raise(probe, emit=emit)
    except DynprobeError as error:
        emit(failed_of(error))


def observe_or_raise(probe: Probe, *, emit: Emit, in_process: bool = False) -> None:
    """As `observe`, but raises its DynprobeError. `in_process`: in the caller's own process, whose
    Dynamo state is put back afterwards."""
    emit(started(probe.options, in_process=in_process))
    loaded, calls = prepared(probe)
    watch(loaded, calls, probe.options, emit=emit, in_process=in_process, seeded=True)


def prepared(probe: Probe) -> tuple[LoadedTarget, list[MadeCall]]:
    """The target and its calls, from generators that are seeded; the user's setup has run."""
    seed_generators(probe.options.seed)
    loaded = load_target(probe.target, probe.options)
    run_setup(probe.options)
    return loaded, make_calls(probe, loaded)


def watch(
    loaded: LoadedTarget,
    calls: Sequence[MadeCall],
    options: Options,
    *,
    emit: Emit,
    in_process: bool,
    seeded: bool = False,
) -> None:
    """Makes `calls` of a target that is loaded, from `Loaded` to `Finished`. Those that raise are
    made once more without Dynamo, after all others. `seeded`: the random generators are seeded
    before each call; otherwise they are the caller's own."""
    check_marks(loaded, calls, options.mark_dynamic)
    with DynamoSession(loaded, options, in_process=in_process) as session:
        limit = session.recompile_limit
        emit(Loaded(target=loaded.report(), calls=len(calls), recompile_limit=limit))
        raised = []
        for index, made in enumerate(calls):
            began = began_of(index, made)
            emit(began)
            if seeded:
                seed_call(options.seed, index)
            patch = session.call(index, made, began.inputs)
            emit(patch)
            if patch.call.error is not None:
                raised.append(began)
        checks = session.eager_checks(calls)
        for began in raised:
            emit(began)
            if seeded:
                seed_call(options.seed, began.index)
            emit(next(checks))
        emit(Finished())


def began_of(index: int, made: MadeCall) -> Began:
    """The event that tells of a call about to be made."""
    return Began(index=index, label=made.label, inputs=tuple(_avals(made)))


def _avals(made: MadeCall) -> Iterator[str]:
    yield from map(aval_text, made.args)
    for name, value in made.kwargs.items():
        yield aval_text(value, name)


def started(options: Options, *, in_process: bool) -> Started:
    """The first event. What jax there is, is told by its installed metadata: jax is not
    imported."""
    environment = Environment(
        dynprobe=__version__,
        python=platform.python_version(),
        platform=f"{sys.platform} {platform.machine()}",
        torch=str(torch.__version__),
        jax=_installed("jax"),
    )
    return Started(
        environment=environment, settings=_settings(options, in_process), cwd=os.getcwd()
    )


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _settings(options: Options, in_process: bool) -> Settings:
    words: dict[bool | None, Literal["auto", "true", "false"]]
    words = {None: "auto", True: "true", False: "false"}
    return Settings(
        backend=options.backend,
        dynamic=words[options.dynamic],
        fullgraph=options.fullgraph,
        grad=options.grad,
        train=options.train,
        mark_dynamic=tuple(_marks(options.mark_dynamic)),
        recompile_limit=options.recompile_limit,
        timeout=options.timeout,
        dtype=options.dtype,
        device=options.device,
        seed=options.seed,
        init=options.init,
        repeat=options.repeat,
        in_process=in_process,
        alone=options.alone,
        eager=options.eager,
        jax=options.jax,
    )


def _marks(marks: Iterable[tuple[str, int]]) -> Iterator[str]:
    return (f"{name}:{dim}" for name, dim in marks)
