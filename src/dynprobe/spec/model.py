"""What was asked, as plain data: no torch, no user code. `calls.py` and `target.py` read text into
these; `str()` of each gives back text that reads to an equal value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Scalar = int | float | bool | str | None
Init = Literal["randn", "rand", "zeros", "ones", "arange", "randint", "empty"]
Layout = Literal["contiguous", "noncontiguous", "channels_last"]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor to be made. `shape` is () for 0-d; `dtype` is the short name that fx and jaxpr
    print (`f32`, `i64`, `b8`, `bf16`), or None for the probe's default; `init` None means the
    probe's default for floats and small values that index anything for integers. `high` is the
    exclusive bound of `randint`."""

    shape: tuple[int, ...]
    dtype: str | None = None
    init: Init | None = None
    high: int | None = None
    requires_grad: bool = False
    layout: Layout = "contiguous"


@dataclass(frozen=True, slots=True)
class LiteralSpec:
    value: Scalar


@dataclass(frozen=True, slots=True)
class RefSpec:
    """`@pkg.mod:attr.path` or `@path/file.py:attr`: an object of the user's."""

    text: str  # without the "@"


@dataclass(frozen=True, slots=True)
class NpySpec:
    """`@path/to/file.npy`: an array saved by numpy, passed as a tensor."""

    path: str


@dataclass(frozen=True, slots=True)
class ListSpec:
    items: tuple[ValueSpec, ...]


@dataclass(frozen=True, slots=True)
class DictSpec:
    items: tuple[tuple[Scalar, ValueSpec], ...]


ValueSpec = TensorSpec | LiteralSpec | RefSpec | NpySpec | ListSpec | DictSpec


@dataclass(frozen=True, slots=True)
class ArgSpec:
    value: ValueSpec
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CallSpec:
    args: tuple[ArgSpec, ...]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """`module` (dotted) or `file` (a path) is set, never both. `steps` are the attribute names
    and empty calls after the last colon: `net().encode` is ("net", "()", "encode")."""

    text: str
    module: str | None
    file: str | None
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """Everything about an observation but the target and its calls. Times in seconds."""

    backend: str = "eager"
    dynamic: bool | None = None
    mark_dynamic: tuple[tuple[str, int], ...] = ()  # (argument name, dimension)
    fullgraph: bool = False
    grad: bool | None = None  # None: as the process has it; False: under no_grad
    train: bool | None = None  # None: the module's own mode
    recompile_limit: int | None = None
    timeout: float = 300.0  # for loading, and for each call
    dtype: str = "f32"
    device: str = "cpu"
    seed: int = 0
    init: Init = "randn"
    repeat: int = 1
    factory: bool = False
    app_dir: str | None = None
    setup: str | None = None  # a target text, called once with no arguments before the first call
    graph_code: bool = False  # keep each graph's code in the report


@dataclass(frozen=True, slots=True)
class Probe:
    """One observation's whole order. Exactly one of `calls` and `inputs` is given; `inputs` is a
    target text that names a function or a list of calls."""

    target: TargetSpec
    calls: tuple[CallSpec, ...] = ()
    inputs: str | None = None
    options: Options = field(default_factory=Options)
