"""Recompiles because the state of the process changed."""

from __future__ import annotations

from .base import CauseRule

STATE_RULES: tuple[CauseRule, ...] = ()
