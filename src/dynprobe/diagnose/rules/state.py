"""Recompiles because the state of the process changed."""

from __future__ import annotations

from .base import CauseRule, Fix

GRAD_MODE = CauseRule(
    id="grad-mode",
    title="The grad mode changed",
    why="""\
A graph is captured for one grad mode. A function that is called with gradients and again under
`torch.no_grad()` has an entry for each, and each counts towards its recompile limit; so does the
same function called from a training loop and from its validation.

An inner `with torch.no_grad():` is captured as part of the graph and costs nothing.""",
    fixes=(
        Fix(key="one", text="call {function} under one grad mode, the first call included"),
        Fix(
            key="inside",
            text="or, where it never needs gradients, put `with torch.no_grad():` inside it and "
            "around none of its calls",
        ),
        Fix(
            key="isolate",
            text="or compile it once for each mode, apart from each other: "
            "torch.compile(…, isolate_recompiles=True)",
            since=(2, 13),
        ),
    ),
    matches=lambda cause: cause.row.kind == "grad_mode" and not _inference(cause.row.source),
)
INFERENCE_MODE = CauseRule(
    id="inference-mode",
    title="Inference mode changed",
    why="""\
A graph is captured with inference mode on or off, and with it on there is one more entry beside
those of both grad modes. `torch.no_grad()` inside the function makes no difference to that.""",
    fixes=(
        Fix(
            key="one",
            text="make all calls of {function} under torch.inference_mode(), the first included, "
            "or none",
        ),
        Fix(
            key="no_grad",
            text="or, where it is called under torch.no_grad() too, under that alone",
        ),
        Fix(
            key="isolate",
            text="or compile it once for each mode, apart from each other: "
            "torch.compile(…, isolate_recompiles=True)",
            since=(2, 13),
        ),
    ),
    matches=lambda cause: cause.row.kind == "grad_mode" and _inference(cause.row.source),
)
AUTOCAST = CauseRule(
    id="autocast-change",
    title="Autocast changed",
    why="""\
Whether autocast is on, for which device and in which dtype, is guarded: each state in which a
function is called has an entry of its own. A warm-up call outside `torch.autocast` is the usual
way to compile everything twice. Autocast that is entered inside the function is captured with
it.""",
    fixes=(
        Fix(key="inside", text="enter torch.autocast inside the compiled function"),
        Fix(key="around", text="or make every call under the same autocast, the first included"),
    ),
    matches=lambda cause: cause.row.kind == "autocast",
)
DEFAULT_DEVICE = CauseRule(
    id="default-device",
    title="The default device changed",
    why="""\
Every graph is guarded on the default device, whether or not it makes tensors.
`torch.set_default_device` between calls, or `with torch.device(…):` around some of them, compiles
everything once more.""",
    fixes=(
        Fix(key="once", text="set the default device once, before the first call"),
        Fix(key="explicit", text="or leave it alone and pass device= where tensors are made"),
    ),
    matches=lambda cause: cause.row.kind == "default_device",
)
FUNCTION_MODE = CauseRule(
    id="function-mode",
    title="The stack of torch function modes changed",
    why="""\
Every graph is guarded on the torch function modes that are active (`TorchFunctionMode`;
`with torch.device(…):` is one too) and on whether `__torch_function__` is switched off. A mode
around some calls and not around others compiles everything once more.""",
    fixes=(
        Fix(key="always", text="have the same modes active around every call"),
        Fix(key="inside", text="or enter the mode inside the compiled function"),
    ),
    matches=lambda cause: cause.row.kind == "function_mode" or _switched_off(cause.row.source),
)
PROCESS_STATE = CauseRule(
    id="process-state",
    title="A setting of the process changed",
    why="""\
Every graph is guarded on torch's settings for the process: deterministic algorithms, the number of
threads, the default dtype, the precision of matrix products. The finding names the one that
changed. All that is compiled compiles once more when it is called next.""",
    fixes=(Fix(key="once", text="set the {source} once, before the first call"),),
    matches=lambda cause: cause.row.kind == "global_state" and not _switched_off(cause.row.source),
)
ENVIRONMENT = CauseRule(
    id="environment-change",
    title="An environment variable changed",
    why="""\
`os.environ[...]` and `os.environ.get(...)` in captured code are guarded: the variable's value is a
constant of the graph, and each value has an entry of its own, up to the recompile limit.
(`os.getenv(...)` is not guarded: see stale-environment.)""",
    fixes=(
        Fix(key="once", text="set {source} once, before the first call"),
        Fix(
            key="isolate",
            text="or compile once for each value, with entries apart: "
            "torch.compile(…, isolate_recompiles=True)",
            since=(2, 13),
        ),
    ),
    matches=lambda cause: cause.row.source.startswith("os.environ["),
)
BACKEND = CauseRule(
    id="backend-changed",
    title="The same code is compiled with two backends",
    why="""\
Cache entries belong to the code object, and an entry is only used by the backend that made it. A
function compiled by two `torch.compile` calls with different backends has the entries of both,
which count towards one recompile limit.""",
    fixes=(
        Fix(key="one", text="compile {function} with one backend"),
        Fix(
            key="isolate",
            text="or keep the entries of the two apart: torch.compile(…, isolate_recompiles=True)",
            since=(2, 13),
        ),
    ),
    matches=lambda cause: cause.row.kind == "backend",
)


def _inference(source: str) -> bool:
    return source == "inference mode"


STATE_RULES: tuple[CauseRule, ...] = (
    GRAD_MODE,
    INFERENCE_MODE,
    AUTOCAST,
    DEFAULT_DEVICE,
    FUNCTION_MODE,
    PROCESS_STATE,
    ENVIRONMENT,
    BACKEND,
)


def _switched_off(source: str) -> bool:
    """`torch function`, `torch function all disabled`: parts of the process's state."""
    return source.startswith("torch function")
