"""Which variables of the environment a call reads, and from which of the user's lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..files import is_library
from .store import EnvRead


class _Noting(dict[Any, Any]):
    """The dict under `os.environ`: every way to read a variable ends in `__getitem__`."""

    reads: dict[str, EnvRead]

    def __getitem__(self, key: Any) -> Any:
        note(self, key)
        return dict.__getitem__(self, key)


def note(kept: _Noting, key: Any) -> None:
    try:
        name = os.fsdecode(key)
        if name not in kept.reads:
            kept.reads[name] = _read(name, dict.get(kept, key))
    except Exception:
        return


def _read(name: str, value: Any) -> EnvRead:
    said = None if value is None else os.fsdecode(value)
    frame = sys._getframe(3)
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            code = frame.f_code
            return EnvRead(name, said, code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return EnvRead(name, said)


@contextmanager
def noted_reads() -> Iterator[dict[str, EnvRead]]:
    """What is read in here. Only for a process of our own: `os.environ` holds another dict
    meanwhile, with the same in it."""
    environ: Any = os.environ
    original = environ._data
    noting = _Noting(original)
    noting.reads = {}
    environ._data = noting
    try:
        yield noting.reads
    finally:
        original.clear()
        original.update(noting)
        environ._data = original
