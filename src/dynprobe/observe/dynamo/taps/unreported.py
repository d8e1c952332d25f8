"""Exceptions that torch before 2.10 raises and catches within a capture without reporting them:
why the rest of a frame runs eagerly, why a frame was left out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..records import BreakSeen
from .broken import break_text, cannot_resume_inside
from .read import user_stack

REST_EAGER = "step_unsupported"
"""torch's name of a graph that ends where Dynamo can go on no more; its whole reason then."""
_NO_CONTENT = "no content in function call"
_IN_LOOP = "graph break in a for/while loop"


class Unreported:
    """What the capture under way raised. `broke` is told the breaks that torch tells nobody;
    `no_ops`: it ended for there was no operation."""

    def __init__(self, broke: Callable[[BreakSeen], Any]) -> None:
        self._broke = broke
        self.begins()

    def begins(self) -> None:
        self.no_ops = False
        self._last: Any = None
        self._failed: dict[int, tuple[Any, BreakSeen]] = {}  # with its key, so that no id is reused

    def unsupported(self, original: Any) -> Any:
        """Around `exc.Unsupported.__init__`."""

        def init(error: Any, *args: Any, **kwargs: Any) -> None:
            original(error, *args, **kwargs)
            self._last = error

        return init

    def restarts(self, original: Any) -> Any:
        """Around `SpeculationEntry.fail_and_restart_analysis`, which is called by the translator
        and raises: the next attempt ends its graph where this one speculated."""

        def fail(entry: Any, *args: Any, **kwargs: Any) -> Any:
            if self._last is not None and getattr(entry, "reason", None) is None:
                translator = sys._getframe(1).f_locals.get("self")
                self._failed[id(entry)] = entry, self._seen(translator)
            return original(entry, *args, **kwargs)

        return fail

    def _seen(self, translator: Any) -> BreakSeen:
        stack = list(getattr(self._last, "real_stack", None) or [])
        inside = cannot_resume_inside(translator, self._last)
        return BreakSeen(break_text(self._last), stack, cannot_resume=True, inside=inside)

    def ends_graph(self, translator: Any, reason: str) -> None:
        """A graph of the second attempt ends."""
        entry = getattr(translator, "current_speculation", None)
        if reason == REST_EAGER and id(entry) in self._failed:
            self._broke(self._failed[id(entry)][1])

    def skips(self, error: Any, *args: Any) -> None:
        """As `exc.SkipFrame.__init__`."""
        Exception.__init__(error, *args)
        text = str(error)
        if _NO_CONTENT in text:
            self.no_ops = True
        elif not text and self._last is not None:  # raised from it, of a generator
            self._broke(self._seen(None))
        elif _IN_LOOP not in text:  # that one is reported
            self._broke(BreakSeen(text, user_stack(), cannot_resume=True))
