"""Limits on what a report may measure, and what exceeds them. Pure."""

from __future__ import annotations
