"""One observation of jax: jit the subject, call it, and tell what each call did."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...report import CallError, JaxCall, JaxOutcome, Jaxpr, Unknown
from ...report.patch import JaxPatch
from ...spec.model import Options
from ..compare.record import Recorder, generators_now, recorded
from ..dynamo.calling import around
from ..dynamo.errors import call_error
from ..dynamo.places import Places
from ..dynamo.skips import count_calls
from ..values.make import MadeCall
from .bridge.mode import NotBridged
from .jaxprs import jaxpr_row
from .keys import Key, causes, key_of
from .offers import offers_for
from .subject import Subject, Twin


class JaxSession:
    """`unjitted`: the subject itself is called, with concrete values, and every call is told as a
    `hit` that has no more to tell."""

    def __init__(self, subject: Subject, options: Options, *, unjitted: bool = False) -> None:
        self._subject = subject
        self._options = options
        self._function: Any = subject.plain if unjitted else subject.jit
        self._unjitted = unjitted
        self._places = Places(subject.loaded.file)
        self._traced: list[tuple[int, Key]] = []
        self._recorder: Recorder | None = None
        if options.record is not None:
            self._recorder = Recorder(options.record, subject.loaded, plain=unjitted)

    def call(self, index: int, made: MadeCall) -> JaxPatch:
        """Calls once. The target's own exceptions are in the patch."""
        before = self._subject.traces
        drew = [generators_now()]
        given: list[Any] = []
        error = self._run(index, made, given, drew)
        traces = self._subject.traces - before
        if self._unjitted:
            return JaxPatch(index=index, call=_unjitted(error))
        key, faults = self._key(given, index)
        outcome = _outcome(error, traces)
        why = causes(key, self._traced) if key is not None and traces else ()
        jaxpr = None
        if outcome == "trace" and key is not None:
            self._traced.append((index, key))
            jaxpr = self._jaxpr(index, given, faults)
        return JaxPatch(
            index=index,
            call=JaxCall(
                outcome=outcome,
                traces=traces,
                inputs=key.avals if key is not None else (),
                causes=why,
                error=error[1] if error else None,
                offers=self._offers(error),
                random=bool(traces) and drew[0] != drew[-1],
                note=_note(error),
            ),
            jaxpr=jaxpr,
            unknown=tuple(faults),
        )

    def _run(
        self, index: int, made: MadeCall, given: list[Any], drew: list[str]
    ) -> tuple[BaseException, CallError] | None:
        try:
            with around(made, self._options.grad), recorded(self._recorder, index, made) as kept:
                drew[0] = generators_now()
                given += self._subject.arguments(made.args, made.kwargs)
                with self._watched():
                    value = self._function(*given[0], **given[1])
                    kept.result = self._subject.result(value)
        except BaseException as error:
            drew.append(generators_now())
            return error, call_error(error, self._places)
        drew.append(generators_now())
        return None

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        subject = self._subject
        if not isinstance(subject, Twin) or (code := subject.watched) is None:
            yield
            return
        with count_calls({id(code): code}, subject.ran):
            yield

    def _key(self, given: list[Any], index: int) -> tuple[Key | None, list[Unknown]]:
        if not given:
            return None, []
        static = self._options.static_argnames
        try:
            return key_of(given[0], given[1], self._subject.signature, static), []
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            return None, [Unknown(what=f"what jax keys call {index} by", reason=reason)]

    def _jaxpr(self, index: int, given: list[Any], faults: list[Unknown]) -> Jaxpr | None:
        """Of the trace just made: jit has it in its cache, and Python does not run again."""
        try:
            closed = self._function.trace(*given[0], **given[1]).jaxpr
            return jaxpr_row(index, closed, text=self._options.jaxpr)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            faults.append(Unknown(what=f"the jaxpr of call {index}", reason=reason))
            return None

    def _offers(self, error: tuple[BaseException, CallError] | None) -> Any:
        if error is None or isinstance(error[0], NotBridged):
            return ()
        where = error[1].where
        return offers_for(error[1].type, where.text if where else None)


def _unjitted(error: tuple[BaseException, CallError] | None) -> JaxCall:
    if error is None:
        return JaxCall(outcome="hit")
    return JaxCall(outcome="error", error=error[1], note=_note(error))


def _outcome(error: tuple[BaseException, CallError] | None, traces: int) -> JaxOutcome:
    if error is not None:
        return "unavailable" if isinstance(error[0], NotBridged) else "error"
    return "trace" if traces else "hit"


def _note(error: tuple[BaseException, CallError] | None) -> str | None:
    return str(error[0]) if error is not None and isinstance(error[0], NotBridged) else None
