"""What was asked, as plain data: no torch, no user code. `calls.py` and `target.py` read text into
these; `str()` of each gives back text that reads to an equal value. A tensor without a dtype
prints as `--shapes` reads it, everything else as `--call` does; a call's label is not printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Scalar = int | float | bool | str | None
Init = Literal["randn", "rand", "zeros", "ones", "arange", "randint", "empty"]
Layout = Literal["contiguous", "noncontiguous", "channels_last"]

RESERVED = frozenset({"True", "False", "None", "inf", "nan"})
"""Words that are literals, so that a dict key of this name has to be quoted."""

# What needs no quotes after "@": no delimiter, no parentheses but "()", no blank at either end.
_BARE_REF = re.compile(r"(?![\s'\"])(?:\(\)|[^,\]}()])+(?<!\s)")


def _after_at(text: str) -> str:
    return f"@{text}" if _BARE_REF.fullmatch(text) else f"@{text!r}"


def _key(key: Scalar) -> str:
    bare = isinstance(key, str) and key.isidentifier() and key not in RESERVED
    return str(key) if bare else repr(key)


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

    def __str__(self) -> str:
        parts = [str(size) for size in self.shape]
        if self.dtype is not None:
            parts.append(self.dtype)
        return "".join(["x".join(parts) or "scalar", *(f":{word}" for word in self._modifiers())])

    def _modifiers(self) -> list[str]:
        words: list[str] = []
        if self.init is not None:
            words.append(self.init if self.high is None else f"{self.init}={self.high}")
        if self.requires_grad:
            words.append("grad")
        if self.layout != "contiguous":
            words.append(self.layout)
        return words


@dataclass(frozen=True, slots=True)
class LiteralSpec:
    value: Scalar

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, slots=True)
class RefSpec:
    """`@pkg.mod:attr.path` or `@path/file.py:attr`: an object of the user's."""

    text: str  # without the "@"

    def __str__(self) -> str:
        return _after_at(self.text)


@dataclass(frozen=True, slots=True)
class NpySpec:
    """`@path/to/file.npy`: an array saved by numpy, passed as a tensor."""

    path: str

    def __str__(self) -> str:
        return _after_at(self.path)


@dataclass(frozen=True, slots=True)
class ListSpec:
    items: tuple[ValueSpec, ...]

    def __str__(self) -> str:
        return f"[{','.join(str(item) for item in self.items)}]"


@dataclass(frozen=True, slots=True)
class DictSpec:
    items: tuple[tuple[Scalar, ValueSpec], ...]

    def __str__(self) -> str:
        return f"{{{','.join(f'{_key(key)}: {value}' for key, value in self.items)}}}"


ValueSpec = TensorSpec | LiteralSpec | RefSpec | NpySpec | ListSpec | DictSpec


@dataclass(frozen=True, slots=True)
class ArgSpec:
    value: ValueSpec
    name: str | None = None

    def __str__(self) -> str:
        return str(self.value) if self.name is None else f"{self.name}={self.value}"


@dataclass(frozen=True, slots=True)
class CallSpec:
    args: tuple[ArgSpec, ...]
    label: str | None = None

    def __str__(self) -> str:
        return ",".join(str(arg) for arg in self.args)


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """`module` (dotted) or `file` (a path) is set, never both. `steps` are the attribute names
    and empty calls after the last colon: `net().encode` is ("net", "()", "encode")."""

    text: str
    module: str | None
    file: str | None
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


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
    alone: bool = False  # each call once more in a fresh Dynamo state, in a process of its own
    eager: bool = False  # each call once more without Dynamo, in a process of its own
    jax: bool = False  # what jax.jit does with the same calls, in processes of their own
    twin: str | None = None  # a target text: the JAX function to observe, instead of the bridge
    static_argnames: tuple[str, ...] = ()  # of jax.jit
    jaxpr: bool = False  # keep each jaxpr's text in the report
    record: str | None = None  # a directory for what each call gives and changes: a file a call


@dataclass(frozen=True, slots=True)
class Probe:
    """One observation's whole order. Exactly one of `calls` and `inputs` is given; `inputs` is a
    target text that names a function or a list of calls."""

    target: TargetSpec
    calls: tuple[CallSpec, ...] = ()
    inputs: str | None = None
    options: Options = field(default_factory=Options)
