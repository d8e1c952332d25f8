"""Graph breaks at what plain Python does."""

from __future__ import annotations

from .base import BreakRule

PYTHON_BREAK_RULES: tuple[BreakRule, ...] = ()
