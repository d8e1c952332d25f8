"""Recompiles because of what modules and other objects hold."""

from __future__ import annotations

from .base import CauseRule

MODULE_RULES: tuple[CauseRule, ...] = ()
