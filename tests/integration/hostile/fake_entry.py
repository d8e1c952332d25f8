"""An observation without torch: it calls a function of `fake_targets` once a call, with the call's
index, and tells what `dynprobe.observe.run` would. The process around it is the real one."""

from __future__ import annotations

import importlib
import os

from dynprobe.errors import GrammarError, InputError, TargetError
from dynprobe.observe.process.failure import failed_of
from dynprobe.report import Call, CallError, Environment, Settings, Target
from dynprobe.report.patch import Began, Finished, Loaded, Patch, Started

ENVIRONMENT = Environment(dynprobe="0", python="3", platform="any", torch=None, jax=None)
FAILURES = {
    "not_there": TargetError("no such module", hint="perhaps torch", detail="Traceback: …"),
    "too_large": InputError("800 TB were asked for"),
    "unreadable": GrammarError("no dtype", text="4x8xq9", position=4, hint="4x8xf32"),
}


def settings(options):
    return Settings(
        backend=options.backend,
        dynamic="auto",
        fullgraph=False,
        grad=None,
        train=None,
        mark_dynamic=(),
        recompile_limit=None,
        timeout=options.timeout,
        dtype="f32",
        device="cpu",
        seed=0,
        init="randn",
        repeat=1,
        in_process=False,
    )


def observe(probe, *, emit):
    options = probe.options
    emit(Started(environment=ENVIRONMENT, settings=settings(options), cwd=os.getcwd()))
    name = probe.target.steps[0]
    if name in FAILURES:
        emit(failed_of(FAILURES[name]))
        return
    module = importlib.import_module(probe.target.module)
    target = Target(spec=probe.target.text, name=name, kind="function", file=None, line=None)
    emit(Loaded(target=target, calls=len(probe.calls), recompile_limit=8))
    for index in range(len(probe.calls)):
        emit(Began(index=index, label=None, inputs=(str(index),)))
        emit(Patch(call=call_of(index, called(getattr(module, name), index))))
    if name == "fails_late":
        emit(failed_of(InputError("the values of call 3 cannot be made")))
        return
    emit(Finished())


def called(function, index):
    try:
        function(index)
    except BaseException as error:
        return CallError(type=type(error).__name__, message=str(error))
    return None


def call_of(index, error):
    return Call(
        index=index,
        label=None,
        inputs=(str(index),),
        outcome="error" if error else "capture" if index == 0 else "hit",
        ops_captured=0,
        calls_captured=2,
        graphs_compiled=0,
        unique_graphs=1,
        graph_runs=1,
        ops_run=2,
        breaks_crossed=0,
        error=error,
    )


def raises_then_eager_crashes(probe, *, emit):
    options = probe.options
    emit(Started(environment=ENVIRONMENT, settings=settings(options), cwd=os.getcwd()))
    target = Target(spec="m:f", name="f", kind="function", file=None, line=None)
    emit(Loaded(target=target, calls=1))
    began = Began(index=0, label=None, inputs=())
    emit(began)
    emit(Patch(call=call_of(0, CallError(type="Error", message="no"))))
    emit(began)
    os.abort()


def broken(probe, *, emit):
    raise ZeroDivisionError("a fault of ours")
