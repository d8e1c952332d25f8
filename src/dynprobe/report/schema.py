"""The JSON schema of a saved report."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from .model import Report


class _Generator(GenerateJsonSchema):
    """JSON has no number for NaN and the infinities: the report writes them as strings."""

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        finite = super().float_schema(schema)
        return {"anyOf": [finite, {"enum": ["NaN", "Infinity", "-Infinity"], "type": "string"}]}

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        """A report is written with every key, defaults included."""
        return True


def report_schema() -> dict[str, Any]:
    """The schema of what `-f json` writes: every key that is always there is required."""
    schema = Report.model_json_schema(mode="serialization", schema_generator=_Generator)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dynprobe report",
        "description": "What one `dynprobe explain` saw.",
    }
    return head | {key: value for key, value in schema.items() if key not in head}


def report_schema_text() -> str:
    """The same as indented JSON that ends in a newline; equal from run to run."""
    return json.dumps(report_schema(), indent=2) + "\n"
