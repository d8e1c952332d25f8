"""See, call by call, what `torch.compile` did with your function.

    import dynprobe
    report = dynprobe.explain(fn, [torch.randn(4), torch.randn(5)])

Importing this imports neither torch nor jax.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .call import Call

if TYPE_CHECKING:
    from .api import explain
    from .report import Report

__all__ = ["Call", "Report", "__version__", "explain"]

_LATE = {"Report": "report", "explain": "api"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
