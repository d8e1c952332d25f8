"""Whose a file is: the user's, or a library's."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from functools import cache
from pathlib import Path

OURS = str(Path(__file__).resolve().parent.parent) + os.sep
"""dynprobe's own folder."""

PACKAGES = re.compile(r"[/\\](?:site|dist)-packages[/\\]")


def is_library(file: str) -> bool:
    """Whether a file is Python's, torch's, dynprobe's or of an installed package. What has no file
    (`<string>`) is too, but for a notebook's cells."""
    if file.startswith("<"):
        return not file.startswith("<ipython")
    return bool(PACKAGES.search(file)) or file.startswith(library_roots())


def library_roots() -> tuple[str, ...]:
    """The folders of Python, torch (where it is imported) and dynprobe, each with a separator."""
    torch = sys.modules.get("torch")
    return _roots(os.path.dirname(str(torch.__file__)) if torch is not None else None)


@cache
def _roots(torch: str | None) -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    python = {paths["stdlib"], paths["platstdlib"]}
    roots = python | {os.path.realpath(root) for root in python} | ({torch} if torch else set())
    return (OURS, *(os.path.join(root, "") for root in sorted(roots)))
