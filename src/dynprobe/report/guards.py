"""Guards, cache entries, and why a cache entry did not match."""

from __future__ import annotations

from typing import Literal

from .base import Line, Model

GuardKind = Literal[
    "size", "stride", "dtype", "device", "requires_grad", "rank", "tensor", "layout",
    "value", "type", "identity", "length", "dict_keys", "attribute", "symbolic",
    "global_state", "grad_mode", "autocast", "function_mode", "default_device",
    "aliasing", "lifetime", "backend", "other",
]  # fmt: skip
Origin = Literal["user", "library", "ambient"]
"""`ambient` guards hold for the process (grad mode, default device); `library` ones guard an
object of torch or another installed package; all others are the user's."""


class Guard(Model):
    """A leaf guard of a cache entry. `source` is in the user's words (`x`, `self.proj.weight`,
    `global SCALE`), `condition` what must hold of it, `text` torch's own words."""

    source: str
    kind: GuardKind
    condition: str
    origin: Origin
    where: Line | None = None
    text: str = ""


class FailedGuard(Model):
    """A guard that did not hold for the values of a call. `expected` and `actual` as short as a
    person would say them (`4`, `f32`, `'sin'`); `near` is the nearest line of the user's own code
    where `file`:`line` lies in a library. `first` marks the one torch stops at."""

    source: str
    kind: GuardKind
    expected: str
    actual: str
    file: str | None = None
    line: int | None = None
    function: str | None = None
    code: str | None = None  # the source line itself
    near: Line | None = None
    text: str = ""
    first: bool = False


class Against(Model):
    """One cache entry that existed and did not match. `torch_says` is torch's own reason (it
    stops at the first guard that fails)."""

    compile_id: str
    torch_says: str
    failed: tuple[FailedGuard, ...]
    note: str | None = None  # why `failed` is empty, where it is


class Recompile(Model):
    """A frame that had cache entries of which none matched. `fallback` True: the recompile limit
    forbade another entry, and the frame ran eagerly; `compile_id` is then None. `against` has the
    entry with the fewest failing guards first."""

    call: int
    frame: str
    file: str
    line: int
    compile_id: str | None
    fallback: bool = False
    dynamic_dims: tuple[str, ...] = ()  # what became symbolic: "x.shape[0]"
    against: tuple[Against, ...] = ()
