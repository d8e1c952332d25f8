"""Each call once more in a fresh Dynamo state: what it would have been, had no call come before.

Runs in a process of its own, where it makes the calls in order, each once, so that the user's own
state (globals, attributes, what `before` does) goes as it goes in the main observation.
"""

from __future__ import annotations

from ..errors import DynprobeError
from ..report.patch import Finished, Loaded, Patch
from ..spec.model import Probe
from .dynamo.session import DynamoSession
from .dynamo.target import check_marks
from .process.failure import failed_of
from .run import Emit, began_of, prepared, started, warm_up
from .seeds import seed_call

__all__ = ["observe", "warm_up"]


def observe(probe: Probe, *, emit: Emit) -> None:
    """As `run.observe`, each call in a session that knows nothing of the others. A patch has the
    call and what is unknown of it."""
    try:
        _observe(probe, emit)
    except DynprobeError as error:
        emit(failed_of(error))


def _observe(probe: Probe, emit: Emit) -> None:
    options = probe.options
    emit(started(options, in_process=False))
    loaded, calls = prepared(probe)
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
