"""Recompiles because of a list's length or a dict's keys."""

from __future__ import annotations

from .base import CauseRule

CONTAINER_RULES: tuple[CauseRule, ...] = ()
