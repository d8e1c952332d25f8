"""Recompiles because of a Python value that is an argument."""

from __future__ import annotations

from .base import CauseRule

VALUE_RULES: tuple[CauseRule, ...] = ()
