"""What every model of the report shares."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION: Literal[1] = 1


class Model(BaseModel):
    """A frozen fact. Unknown keys are refused, so that a report of another schema is not read as
    if it were ours."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class Line(Model):
    """A line of source: `file` as Python's code object has it, `line` from 1."""

    file: str
    line: int
    function: str | None = None
    text: str | None = None  # the source line itself, stripped


class Unknown(Model):
    """A fact that could not be read, and why."""

    what: str
    reason: str
