"""Recompiles because an object is another one, of another type, or gone."""

from __future__ import annotations

from .base import CauseRule

OBJECT_RULES: tuple[CauseRule, ...] = ()
