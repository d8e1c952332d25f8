"""Each call once more in a fresh Dynamo state: what it would have been, had no call come before.

Runs in a process of its own, where it makes the calls in order, each once, so that the user's own
state (globals, attributes, what `before` does) goes as it goes in the main observation.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DynprobeError
from ..report.patch import Finished, Loaded, Patch
from ..spec.model import Options, Probe
from .dynamo.session import DynamoSession
from .dynamo.target import check_marks
from .process.failure import failed_of
from .run import Emit, began_of, prepared, started, warm_up
from .seeds import seed_call
from .target.load import LoadedTarget
from .values.make import MadeCall

__all__ = ["make_alone", "observe", "warm_up"]


def observe(probe: Probe, *, emit: Emit) -> None:
    """As `run.observe`, each call in a session that knows nothing of the others. A patch has the
    call and what is unknown of it."""
    try:
        emit(started(probe.options, in_process=False))
        loaded, calls = prepared(probe)
        make_alone(loaded, calls, probe.options, emit=emit)
    except DynprobeError as error:
        emit(failed_of(error))


def make_alone(
    loaded: LoadedTarget, calls: Sequence[MadeCall], options: Options, *, emit: Emit
) -> None:
    """From `Loaded` to `Finished`. Dynamo's own state of this process is lost."""
    check_marks(loaded, calls, options.mark_dynamic)
    emit(Loaded(target=loaded.report(), calls=len(calls)))
    for index, made in enumerate(calls):
        began = began_of(index, made)
        emit(began)
        seed_call(options.seed, index)
        with DynamoSession(loaded, options, fresh=True) as session:
            patch = session.call(index, made, began.inputs)
        emit(Patch(call=patch.call, unknown=patch.unknown))
    emit(Finished())
