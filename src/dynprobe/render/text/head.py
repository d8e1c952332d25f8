"""The first lines: what was called, how often, the verdict; and under which settings."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from dynprobe.diagnose.paths import place
from dynprobe.render.base import View
from dynprobe.report import Report, Settings

from .jax import is_missing
from .style import DIM, NAME, WRONG, line
from .wrap import fold, pack


def verdict(report: Report, view: View) -> list[Text]:
    said = report.verdict
    text = said.text if said else "not judged"
    name = f"{NAME} {WRONG}" if said and said.exit_code else NAME
    return fold(line((report.target.name, name), "  ", text), view.width)


def settings(report: Report, view: View) -> list[Text]:
    parts = [line((part, DIM)) for part in _facts(report, view)]
    lines = pack(parts, view.width, between=line((" · ", DIM)))
    if is_missing(report.jax):
        said = "JAX: not installed (pip install 'dynprobe[jax]')"
        lines += fold(line((said, DIM)), view.width)
    return lines


def _facts(report: Report, view: View) -> Iterator[str]:
    target, environment = report.target, report.environment
    yield place(target.file, target.line, report.cwd) if target.file else target.spec
    yield f"torch {environment.torch or 'unknown'}"
    yield f"Python {environment.python}"
    yield from _chosen(report.settings, view.verbose)
    if target.compile_options:
        options = ", ".join(f"{key}={value}" for key, value in target.compile_options.items())
        yield f"already compiled with {options}"
    if view.verbose:
        yield environment.platform
        yield f"dynprobe {environment.dynprobe}"


def _chosen(settings: Settings, every: bool) -> Iterator[str]:
    """The settings that are not the default; all that matter with `every`."""
    yield f"backend {settings.backend}"
    if every or settings.dynamic != "auto":
        yield f"dynamic {settings.dynamic}"
    if settings.fullgraph:
        yield "fullgraph"
    if settings.grad is not None:
        yield "grad on" if settings.grad else "no grad"
    if settings.train is not None:
        yield "train mode" if settings.train else "eval mode"
    if settings.mark_dynamic:
        yield f"mark_dynamic {', '.join(settings.mark_dynamic)}"
    if every and settings.recompile_limit is not None:
        yield f"recompile limit {settings.recompile_limit}"
    if every or settings.device != "cpu":
        yield f"device {settings.device}"
    if every:
        yield f"seed {settings.seed}"
        yield f"default {settings.dtype} {settings.init}"
    if settings.in_process:
        yield "in process"
