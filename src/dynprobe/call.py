"""`dynprobe.Call`: one call of the target, as a person writes it in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One call: `args` and `kwargs` are passed as they are (made fresh by whoever built them).

    `before()` runs just before the call; `around()` gives a context manager that is held during
    it. `label` names the call in the report.
    """

    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    label: str | None = None
    before: Callable[[], object] | None = None
    around: Callable[[], AbstractContextManager[Any]] | None = None
