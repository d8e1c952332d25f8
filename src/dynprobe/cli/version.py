"""The versions that matter to a bug report, read without importing anything large."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from dynprobe._version import __version__


def versions() -> str:
    """One `name version` a line."""
    python = f"Python {platform.python_version()}"
    return "\n".join([f"dynprobe {__version__}", _of("torch"), _of("jax"), python])


def _of(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"
