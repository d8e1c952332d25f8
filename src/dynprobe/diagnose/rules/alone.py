"""What an earlier call cost a later one."""

from __future__ import annotations

from .base import ReportRule

ALONE_RULES: tuple[ReportRule, ...] = ()
