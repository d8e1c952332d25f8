"""`dynprobe show`: a saved report, rendered again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynprobe.errors import DynprobeError
from dynprobe.render import View

from . import options as opt
from .output import opened
from .publish import publish
from .terminal import Color, uses_color, width_of

if TYPE_CHECKING:
    from dynprobe.report import Report


def show(
    report: opt.ReportPath,
    output_format: opt.OutputFormat = opt.Format.TEXT,
    output: opt.Outputs = None,
    color: opt.ColorChoice = Color.AUTO,
    width: opt.Width = None,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
    graphs: opt.Graphs = False,
    all_guards: opt.AllGuards = False,
) -> None:
    """Render a saved report again, in any format."""
    view = View(
        width=width_of(width, sys.stdout),
        color=uses_color(color, sys.stdout, os.environ),
        quiet=quiet,
        verbose=verbose,
        graphs=graphs,
        all_guards=all_guards,
    )
    with opened(output or []) as artefacts:
        publish(read_report(report), output_format, view, artefacts, width)


def read_report(name: str) -> Report:
    """Raises DynprobeError where `name` is not a whole report that this version reads."""
    from pydantic import ValidationError

    from dynprobe.report import Report

    text = _read(name)
    _check_kind(name, text)
    try:
        return Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the top"
        message = f"{name} is not a dynprobe report: at {where}: {first['msg']}"
        raise DynprobeError(message) from None


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise DynprobeError(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DynprobeError(f"{name} is not a dynprobe report: it is not UTF-8 text") from None


def _check_kind(name: str, text: str) -> None:
    from dynprobe.report import SCHEMA_VERSION

    try:
        value: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise DynprobeError(f"{name} is not whole JSON: reading stops{where}") from None
    version = value.get("schema_version") if isinstance(value, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        hint = "dynprobe explain … -o report.json writes one"
        raise DynprobeError(f"{name} is not a dynprobe report: no schema_version", hint=hint)
    if version > SCHEMA_VERSION:
        raise DynprobeError(
            f"{name} has schema_version {version}, and this dynprobe reads up to {SCHEMA_VERSION}",
            hint="a newer dynprobe wrote it: upgrade this one",
        )
