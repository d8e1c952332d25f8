"""A report as text for people or as JSON for scripts: one file a format."""

from __future__ import annotations

from importlib import import_module

from .base import Renderer, View

__all__ = ["FORMATS", "SUFFIXES", "Renderer", "View", "renderer"]

FORMATS = ("text", "json")
SUFFIXES = {".txt": "text", ".json": "json"}


def renderer(name: str) -> Renderer:
    """The renderer of a format in `FORMATS`; its module is imported here, not before."""
    made: Renderer = import_module(f"dynprobe.render.{name}").RENDERER
    return made
