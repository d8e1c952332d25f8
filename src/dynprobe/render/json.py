"""The report as JSON: the names are the models' own, see `dynprobe schema`."""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticSerializationError

from dynprobe.report import Report

from .base import View


class JsonRenderer:
    def render(self, report: Report, view: View) -> str:
        """Indented UTF-8; a float that JSON has no number for is the string "NaN", "Infinity" or
        "-Infinity". The view changes nothing."""
        try:
            return report.model_dump_json(indent=2) + "\n"
        except PydanticSerializationError:  # a lone surrogate, from a file name that is not UTF-8
            scrubbed = Report.model_validate(_scrubbed(report.model_dump()))
            return scrubbed.model_dump_json(indent=2) + "\n"


def _scrubbed(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {_scrubbed(key): _scrubbed(item) for key, item in value.items()}
        case list() | tuple():
            return tuple(_scrubbed(item) for item in value)
        case _:
            return value


RENDERER = JsonRenderer()
