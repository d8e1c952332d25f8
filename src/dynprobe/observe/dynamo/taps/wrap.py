"""The taps into TorchDynamo: the only file that names private torch API.

Checked on torch 2.13.0. Six places are wrapped while a session is open, and put back after it:

* `convert_frame.CatchErrorsWrapper.__call__`: every frame Dynamo is asked to compile (a miss);
* `convert_frame.ConvertFrameAssert.__call__`: the exception before Dynamo swallows it;
* `symbolic_convert.InstructionTranslator*.log_graph_break`: each graph break with its exception;
* `output_graph.OutputGraph.compile_subgraph` and `.call_user_compiler`: why a graph ended, the
  graph itself, its guards' user stacks, and (around the compiled function) each execution of it;
* `pgo.update_automatic_dynamic`: the sizes and numbers that are compared with earlier ones;
* `eval_frame.set_guard_complete_hook`: one bool for each guarded frame evaluation.

To know *which* entry a frame hit, each new entry gets one more guard, evaluated after all others
(an epilogue guard), that notes the entry and holds always. The structured trace is not used: it
renders every graph to text, which costs more than the capture of a large one.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, Protocol

from ..records import BreakSeen, GraphSeen, MissEnd, SizeSeen, Unavailable
from .broken import (
    break_text,
    cannot_resume_inside,
    gives_up_in_loop,
    translator_at,
)
from .read import (
    dynamo_module,
    eval_frame,
    torch_version,
    user_stack,
)
from .shapes import tells_sizes
from .skipped import miss_end
from .unreported import Unreported

_HOOK_MISSING = "set_guard_complete_hook is not in this torch: hits are told by graphs alone"


class Sink(Protocol):
    """Where the taps tell what they see; called on the thread that compiles or runs."""

    def miss_begins(
        self, code: CodeType, f_locals: dict[str, Any], callback: object, caller: CodeType | None
    ) -> object: ...
    def miss_ends(self, token: object, end: MissEnd) -> None: ...
    def swallowed(self, error: BaseException) -> None: ...
    def broke(self, seen: BreakSeen) -> None: ...
    def graph(self, seen: GraphSeen) -> Callable[[], None]: ...
    def compiled(self) -> None: ...
    def sized(self, seen: SizeSeen) -> None: ...
    def subgraph(self, broke: bool, reason: str, stack: list[Any], guards: list[Any]) -> None: ...
    def looked_up(self, found: bool, caller: CodeType | None) -> None: ...
    def fault(self, tap: str, error: Exception) -> None: ...


class Taps:
    """Installs the taps on entry and puts everything back on exit. What this torch does not have
    is listed in `missing`."""

    def __init__(self, sink: Sink) -> None:
        self.sink = _Guarded(sink)
        self.missing: list[Unavailable] = []
        self._undo = contextlib.ExitStack()
        self._unreported = Unreported(lambda seen: self.sink.broke(seen))

    def __enter__(self) -> Taps:
        convert = dynamo_module("convert_frame")
        self._wrap(convert, "CatchErrorsWrapper", "__call__", self._catch)
        self._wrap(convert, "ConvertFrameAssert", "__call__", self._assert)
        self._wrap(dynamo_module("output_graph"), "OutputGraph", "compile_subgraph", self._subgraph)
        self._wrap(
            dynamo_module("output_graph"), "OutputGraph", "call_user_compiler", self._compiler
        )
        update = "update_automatic_dynamic"
        self._replace(dynamo_module("pgo"), update, tells_sizes(self.sink.sized))
        symbolic = dynamo_module("symbolic_convert")
        owners = [
            name
            for name, cls in vars(symbolic).items()
            if isinstance(cls, type) and "log_graph_break" in vars(cls)
        ]
        for owner in owners:
            self._wrap(symbolic, owner, "log_graph_break", self._log_break)
        if not owners:  # before 2.10 a function
            self._replace(symbolic, "log_graph_break", self._log_break)
            self._tell_unreported(symbolic)
        self._hook()
        return self

    def _tell_unreported(self, symbolic: Any) -> None:
        kept, errors = self._unreported, dynamo_module("exc")
        self._wrap(errors, "Unsupported", "__init__", kept.unsupported)
        self._wrap(symbolic, "SpeculationEntry", "fail_and_restart_analysis", kept.restarts)
        skip = errors.SkipFrame
        if "__init__" in vars(skip):
            self._missing("SkipFrame", f"not as it is known in torch {torch_version()}")
            return
        skip.__init__ = lambda error, *args: kept.skips(error, *args)
        self._undo.callback(delattr, skip, "__init__")

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def _missing(self, what: str, reason: str) -> None:
        self.missing.append(Unavailable(what, reason))

    def _wrap(self, module: Any, owner: str, name: str, make: Callable[[Any], Any]) -> None:
        self._replace(getattr(module, owner, None), name, make)

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        original = vars(owner).get(name) if owner is not None else None
        if original is None:
            self._missing(name, f"not where it is looked for in torch {torch_version()}")
            return
        setattr(owner, name, _standing_in(make(original), original))
        self._undo.callback(setattr, owner, name, original)

    def _hook(self) -> None:
        setter = getattr(eval_frame(), "set_guard_complete_hook", None)
        if setter is None:
            self._missing("guard evaluations", _HOOK_MISSING)
            return
        sink = self.sink
        previous: Any = None

        def hook(found: bool) -> bool:
            sink.looked_up(found, _caller())
            return previous(found) if previous is not None else found

        previous = setter(hook)
        self._undo.callback(setter, previous)

    def _catch(self, original: Any) -> Any:
        sink, unreported = self.sink, self._unreported

        def call(wrapper: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
            unreported.begins()
            token = sink.miss_begins(frame.f_code, frame.f_locals, wrapper, _caller())
            try:
                result = original(wrapper, frame, *args, **kwargs)
            except BaseException as error:
                sink.miss_ends(token, MissEnd(raised=error))
                raise
            sink.miss_ends(token, miss_end(result, frame, no_ops=unreported.no_ops))
            return result

        return call

    def _assert(self, original: Any) -> Any:
        sink = self.sink

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return original(*args, **kwargs)
            except Exception as error:
                sink.swallowed(error)
                raise

        return call

    def _log_break(self, original: Any) -> Any:
        sink = self.sink

        def log_graph_break(*args: Any, **kwargs: Any) -> Any:
            try:
                seen = _break_seen(args, kwargs)
            except Exception as error:
                sink.fault("log_graph_break", error)
            else:
                sink.broke(seen)
            return original(*args, **kwargs)

        return log_graph_break

    def _subgraph(self, original: Any) -> Any:
        sink, unreported = self.sink, self._unreported

        def compile_subgraph(output: Any, tx: Any, reason: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(output, tx, reason, *args, **kwargs)
            unreported.ends_graph(tx, str(getattr(reason, "reason", "")))
            broke = bool(getattr(reason, "graph_break", False))
            stack = list(getattr(reason, "user_stack", None) or [])
            guards = list(getattr(output, "guards", None) or [])
            sink.subgraph(broke, str(getattr(reason, "reason", "")), stack, guards)
            return result

        return compile_subgraph

    def _compiler(self, original: Any) -> Any:
        sink = self.sink

        def call_user_compiler(output: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
            ran = sink.graph(GraphSeen(gm, getattr(output, "shape_env", None))) or _nothing
            compiled = _settled(original(output, gm, *args, **kwargs))
            sink.compiled()

            def run(*values: Any, **named: Any) -> Any:
                ran()
                return compiled(*values, **named)

            run.__dict__.update(getattr(compiled, "__dict__", {}))
            return run

        return call_user_compiler


class _Guarded:
    """A sink whose faults never reach the target: they are kept for the report."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def __getattr__(self, name: str) -> Callable[..., Any]:
        told = getattr(self._sink, name)
        fault = self._sink.fault

        def tell(*args: Any) -> Any:
            try:
                return told(*args)
            except Exception as error:
                fault(name, error)
                return None

        setattr(self, name, tell)
        return tell


def _caller() -> CodeType | None:
    """The code that called the frame at hand: two frames up from here, where there are as many (a
    thread of torch's own may call Python straight from C)."""
    try:
        return sys._getframe(2).f_code
    except ValueError:
        return None


def _break_seen(args: tuple[Any, ...], kwargs: dict[str, Any]) -> BreakSeen:
    """From the arguments of torch's own report of a break, the translator first."""
    error = kwargs.get("exc") or next((a for a in args if isinstance(a, Exception)), None)
    reason = str(kwargs.get("reason", ""))
    stack = getattr(error, "real_stack", None) or kwargs.get("user_stack") or user_stack()
    text = break_text(error) or reason
    translator = translator_at(args)
    inside = cannot_resume_inside(translator, error)
    if inside is None and gives_up_in_loop(translator):
        inside = "loop"
    return BreakSeen(text, list(stack), "cannot resume from" in reason, inside)


def _standing_in(made: Any, original: Any) -> Any:
    """Dynamo looks below its own frames on the stack, and knows them by their file: what is wrapped
    around one of them is of that file too."""
    code = getattr(original, "__code__", None)
    if code is not None:
        made.__code__ = made.__code__.replace(co_filename=code.co_filename)
    return made


def _nothing() -> None:
    return None


def _settled(compiled: Any) -> Any:
    """A lazily compiled graph, compiled now: Dynamo does so itself, but not through a wrapper."""
    owner = getattr(compiled, "__self__", None)
    if getattr(compiled, "__name__", "") == "_lazy_forward" and owner is not None:
        owner.real_recompile()
        return owner.forward
    return compiled
