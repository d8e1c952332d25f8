"""Dynamo's process-wide state: saved before an observation in the caller's own process and put
back after it; or forgotten."""

from __future__ import annotations

import contextlib
import copy
from types import CodeType
from typing import Any

from ..records import EntryHandle
from .read import cache_entries, dynamo_module, eval_frame


class DynamoState:
    """What `explain` in the caller's process must leave as it was: torch's counters, the numbers
    of frames, the list of break reasons, and the cache entries of every code object met."""

    def __init__(self) -> None:
        utils, convert = dynamo_module("utils"), dynamo_module("convert_frame")
        self._counters = copy.deepcopy(dict(utils.counters))
        self._reasons = list(getattr(utils, "graph_break_reasons", []))
        self._frame_counter = getattr(convert, "FRAME_COUNTER", None)
        self._compile_counter = copy.copy(getattr(convert, "FRAME_COMPILE_COUNTER", None))
        self._before: dict[int, tuple[CodeType, list[EntryHandle]]] = {}
        self._sizes: dict[str, Any] = {}

    def forget_sizes(self) -> None:
        """Takes away, until `restore`, which sizes Dynamo has seen change so far in the process:
        with them it captures dynamic graphs at once, and the observation would not be fresh."""
        pgo = _pgo()
        for name in ("_CODE_STATE", "_INIT_CODE_STATE"):
            if hasattr(pgo, name):
                self._sizes[name] = getattr(pgo, name)
                setattr(pgo, name, None)

    def met(self, code: CodeType, entries: list[EntryHandle]) -> None:
        """Notes the entries a code object had when the observation first met it."""
        self._before.setdefault(id(code), (code, entries))

    def restore(self) -> None:
        for name, value in self._sizes.items():
            setattr(_pgo(), name, value)
        for code, entries in self._before.values():
            with contextlib.suppress(Exception):
                _restore_code(code, entries)
        utils, convert = dynamo_module("utils"), dynamo_module("convert_frame")
        utils.counters.clear()
        for name, counter in self._counters.items():
            utils.counters[name].update(counter)
        reasons = getattr(utils, "graph_break_reasons", None)
        if reasons is not None:
            reasons[:] = self._reasons
        if self._frame_counter is not None:
            convert.FRAME_COUNTER = self._frame_counter
        if self._compile_counter is not None:
            convert.FRAME_COMPILE_COUNTER.clear()
            convert.FRAME_COMPILE_COUNTER.update(self._compile_counter)


def forget() -> None:
    """Dynamo as it was right after its import, of all that calls so far made it keep: graphs, code
    objects it skips, limits reached, sizes seen, counters. Not its settings: they are the user's.
    """
    import torch

    dynamo_module("utils").counters.clear()
    torch._dynamo.reset()


def _pgo() -> Any:
    with contextlib.suppress(ImportError):
        return dynamo_module("pgo")
    return None


def _restore_code(code: CodeType, entries: list[EntryHandle]) -> None:
    if not entries:
        eval_frame().reset_code(code)
        return
    # The code object had entries of the caller's own: only ours go.
    kept = {id(entry.manager) for entry in entries}
    for entry in cache_entries(code):
        if id(entry.manager) not in kept:
            _invalidate(entry)
    _allow_again(code)


def _invalidate(entry: EntryHandle) -> None:
    deleted: Any = dynamo_module("guards").DeletedGuardManagerWrapper("observation ended")
    entry.manager.extra_state.invalidate(entry.raw, deleted)


def _allow_again(code: CodeType) -> None:
    api, types = eval_frame(), dynamo_module("types")
    default = types.FrameAction.DEFAULT
    api.set_code_exec_strategy(code, types.FrameExecStrategy(default, default))
