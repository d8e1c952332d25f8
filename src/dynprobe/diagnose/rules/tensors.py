"""Recompiles because of a property of a tensor other than its sizes."""

from __future__ import annotations

from .base import CauseRule

TENSOR_RULES: tuple[CauseRule, ...] = ()
