"""Where a compiled call is not what eager is."""

from __future__ import annotations

from .base import ReportRule

EAGER_RULES: tuple[ReportRule, ...] = ()
