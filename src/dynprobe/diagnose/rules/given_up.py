"""Why a break costs the whole frame, or its rest."""

from __future__ import annotations

from .base import BreakRule

GIVEN_UP_RULES: tuple[BreakRule, ...] = ()
