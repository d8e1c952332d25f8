"""The options of the commands, and their help."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from .terminal import LEAST_WIDTH, Color

_INPUTS = "Inputs (exactly one of the first three)"
_CAPTURE = "Capture"
_PROCESS = "Process"
_JAX = "JAX"
_GATE = "Limits (exit code 1 where one does not hold)"
_OUTPUT = "Output"


class Dynamic(StrEnum):
    AUTO = "auto"
    TRUE = "true"
    FALSE = "false"


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def _option(heading: str, *names: str, **settings: Any) -> Any:
    settings.setdefault("show_default", True)
    return typer.Option(*names, rich_help_panel=heading, **settings)


TargetText = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="pkg.mod:attr.path or path/to/file.py:attr.path: a function, a method, an nn.Module, "
        "a module class or a zero-argument factory.",
        show_default=False,
    ),
]

Shapes = Annotated[
    str | None,
    _option(
        _INPUTS, "--shapes", metavar="DIMS,…",
        help="One tensor a call; the comma is the next call: 4,5 or 4x8,5x8 or scalar.",
    ),
]  # fmt: skip
Calls = Annotated[
    list[str] | None,
    _option(
        _INPUTS, "-c", "--call", metavar="ARG,…",
        help="One whole call, repeatable; the comma is the next argument: "
        "4x8xf32,alpha=0.5 or x=f32[4,8] or [4xf32,4xf32].",
    ),
]  # fmt: skip
Inputs = Annotated[
    str | None,
    _option(
        _INPUTS, "--inputs", metavar="MOD:CALLS",
        help="A function or list of yours that gives dynprobe.Call objects, (args, kwargs) pairs "
        "or, for one argument, bare values.",
    ),
]  # fmt: skip
DType = Annotated[
    str, _option(_INPUTS, "--dtype", metavar="DTYPE", help="Of tensors that give none.")
]
Device = Annotated[str, _option(_INPUTS, "--device", metavar="DEVICE", help="Of all tensors.")]
Seed = Annotated[int, _option(_INPUTS, "--seed", metavar="N", help="Of random values.")]
Init = Annotated[
    str,
    _option(
        _INPUTS, "--init", metavar="NAME",
        help="Values of float tensors: randn, rand, zeros, ones, arange, randint or empty.",
    ),
]  # fmt: skip
Repeat = Annotated[
    int, _option(_INPUTS, "--repeat", metavar="N", help="Run the whole list N times.")
]

Backend = Annotated[
    str,
    _option(
        _CAPTURE, "--backend", metavar="NAME",
        help="eager captures without generating code; aot_eager, inductor, … as in torch.compile.",
    ),
]  # fmt: skip
DynamicShapes = Annotated[
    Dynamic,
    _option(_CAPTURE, "--dynamic", help="torch.compile's dynamic=; auto is its default, None."),
]
MarkDynamic = Annotated[
    list[str] | None,
    _option(
        _CAPTURE, "--mark-dynamic", metavar="ARG:DIM",
        help="Mark a dimension of an argument dynamic, repeatable: x:0.",
    ),
]  # fmt: skip
FullGraph = Annotated[
    bool,
    _option(_CAPTURE, "--fullgraph", help="A graph break is an error.", show_default=False),
]
Grad = Annotated[
    bool | None,
    _option(_CAPTURE, "--grad/--no-grad", help="Under enable_grad or no_grad."),
]
Train = Annotated[
    bool | None,
    _option(_CAPTURE, "--train/--eval", help="Put a module in this mode first."),
]
RecompileLimit = Annotated[
    int | None,
    _option(
        _CAPTURE, "--recompile-limit", metavar="N",
        help="Cache entries a frame may have; torch's own default otherwise.",
    ),
]  # fmt: skip

Timeout = Annotated[
    float,
    _option(_PROCESS, "--timeout", metavar="SECONDS", help="For loading, and for each call."),
]
Setup = Annotated[
    str | None,
    _option(
        _PROCESS, "--setup", metavar="MOD:FN",
        help="A function of yours, called once before the first call.",
    ),
]  # fmt: skip
Factory = Annotated[
    bool,
    _option(
        _PROCESS, "--factory", show_default=False,
        help="TARGET is a zero-argument function that makes what is to be called.",
    ),
]  # fmt: skip
AppDir = Annotated[
    str | None,
    _option(
        _PROCESS, "--app-dir", metavar="DIR",
        help="Goes on sys.path in place of the current directory or the file's project root.",
    ),
]  # fmt: skip
Alone = Annotated[
    bool,
    _option(
        _CAPTURE, "--alone", show_default=False,
        help="Make each call once more in a fresh Dynamo state, in a process of its own: what an "
        "earlier call cost it.",
    ),
]  # fmt: skip
Eager = Annotated[
    bool,
    _option(
        _CAPTURE, "--eager", show_default=False,
        help="Make each call once more without torch.compile, in a process of its own: whether "
        "its result and all it changes are the same.",
    ),
]  # fmt: skip
InProcess = Annotated[
    bool,
    _option(
        _PROCESS, "--in-process", show_default=False,
        help="Observe in this process, for a debugger: no time limit, and a crash takes the "
        "report with it.",
    ),
]  # fmt: skip
NoJax = Annotated[bool, _option(_JAX, "--no-jax", help="Leave JAX out.", show_default=False)]
Twin = Annotated[
    str | None,
    _option(
        _JAX, "--jax", metavar="MOD:FN",
        help="Your JAX function for the same calls; otherwise jax traces TARGET itself.",
    ),
]  # fmt: skip
StaticArgnames = Annotated[
    str | None,
    _option(
        _JAX, "--static-argnames", metavar="NAME,…",
        help="jax.jit's static_argnames=: arguments whose values are part of the key.",
    ),
]  # fmt: skip
JaxprText = Annotated[
    bool, _option(_JAX, "--jaxpr", help="The text of each trace's jaxpr.", show_default=False)
]
RequireJax = Annotated[
    bool,
    _option(
        _GATE, "--require-jax", show_default=False,
        help="JAX is observed on each call, whatever it does there.",
    ),
]  # fmt: skip
MaxJaxTraces = Annotated[
    int | None,
    _option(_GATE, "--max-jax-traces", metavar="N", min=0, help="Traces over all calls."),
]

OutputFormat = Annotated[
    Format, _option(_OUTPUT, "-f", "--output-format", help="Of what goes to stdout.")
]
Outputs = Annotated[
    list[str] | None,
    _option(
        _OUTPUT, "-o", "--output", metavar="[FORMAT=]PATH",
        help="Write a file too, repeatable: report.json, report.txt, text=PATH.",
    ),
]  # fmt: skip
ColorChoice = Annotated[Color, _option(_OUTPUT, "--color", help="NO_COLOR and FORCE_COLOR count.")]
Width = Annotated[
    int | None,
    _option(
        _OUTPUT, "--width", metavar="CELLS", min=LEAST_WIDTH,
        help="The terminal's, else COLUMNS, else 120.",
    ),
]  # fmt: skip
Quiet = Annotated[
    bool, _option(_OUTPUT, "-q", "--quiet", help="The verdict alone.", show_default=False)
]
Verbose = Annotated[
    bool,
    _option(
        _OUTPUT, "-v", "--verbose", show_default=False,
        help="Every row, reason, setting and traceback.",
    ),
]  # fmt: skip
Graphs = Annotated[
    bool, _option(_OUTPUT, "--graphs", help="The code of each graph.", show_default=False)
]
AllGuards = Annotated[
    bool,
    _option(
        _OUTPUT, "--all-guards", show_default=False,
        help="Every guard on a line of its own, torch's and the process's too.",
    ),
]  # fmt: skip
ReportPath = Annotated[
    str,
    typer.Argument(
        metavar="REPORT.json", help="A saved JSON report; - reads stdin.", show_default=False
    ),
]
