"""How a file of a report is named to a person."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_INSTALLED = re.compile(r"^.*/(?:site|dist)-packages/")
_STDLIB = re.compile(r"^.*/lib/(python3\.\d+/)")


def short_path(file: str, cwd: str) -> str:
    """`file` relative to `cwd` where it lies inside, an installed package's file from the package
    on (`torch/nn/functional.py`), any other file as it is."""
    path = PurePosixPath(file)
    inside = str(path.relative_to(cwd)) if path.is_absolute() and path.is_relative_to(cwd) else file
    for pattern, kept in ((_INSTALLED, ""), (_STDLIB, r"\1")):
        shorter, found = pattern.subn(kept, inside)
        if found:
            return shorter
    return inside


def place(file: str, line: int | None, cwd: str) -> str:
    """`examples/first_steps.py:11`."""
    path = short_path(file, cwd)
    return path if line is None else f"{path}:{line}"
