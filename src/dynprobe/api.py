"""`dynprobe.explain`: observe in the caller's process, then judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, cast

import torch

from .diagnose.verdict import judge
from .observe.here import explain as _observe
from .report import Report

P = ParamSpec("P")


def _judged(observe: Callable[P, Report]) -> Callable[P, Report]:
    @wraps(observe)
    def explain(*args: P.args, **kwargs: P.kwargs) -> Report:
        return judge(observe(*args, **kwargs))

    # Inside a function that is compiled it is called, not traced: it then says that it cannot.
    return cast("Callable[P, Report]", torch.compiler.disable(explain))


explain = _judged(_observe)
