"""Graph breaks at what is done with tensors."""

from __future__ import annotations

from .base import BreakRule

TENSOR_BREAK_RULES: tuple[BreakRule, ...] = ()
