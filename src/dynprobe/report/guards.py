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


Root = Literal["argument", "closure", "global", "kept", "process", "library", "other"]
"""Where a guarded value is reached from: the frame's own arguments (`self` is one), a closure
cell, a global of the user's module, a value kept over a graph break, the state of the process, an
object that Dynamo imported for itself."""

Holder = Literal[
    "module", "optimizer", "object", "class", "file", "dict", "list", "tuple", "tensor"
]
"""What a guarded value is read from: an `nn.Module`, an optimizer, an instance, a class, a Python
module (`file`), a container (`list` and `tuple` with their subclasses), a tensor."""


class Guard(Model):
    """A leaf guard of a cache entry. `source` is in the user's words (`x`, `self.proj.weight`,
    `global SCALE`), `condition` what must hold of it, `text` torch's own words. `near` is the
    nearest line of the user's own code where `where` lies in a library.

    What it accepts as data, where that is known: `value` the one value (as Python writes it),
    `sizes` those of a tensor (None: any), `low` and `high` a range, both ends inclusive.
    """

    source: str
    kind: GuardKind
    condition: str
    origin: Origin
    root: Root = "other"
    where: Line | None = None
    near: Line | None = None
    text: str = ""
    value: str | None = None
    sizes: tuple[int | None, ...] | None = None
    low: int | float | None = None
    high: int | float | None = None


class FailedGuard(Model):
    """A guard that did not hold for the values of a call. `expected` and `actual` as short as a
    person would say them (`4`, `f32`, `'sin'`); `near` is the nearest line of the user's own code
    where `file`:`line` lies in a library. `stack` is the user's stack that made Dynamo guard it,
    outermost first. `first` marks the one torch stops at: the others would have failed too.
    `holder` is None for an argument itself; `type` is the class of the value now; `same_holder`
    tells whether it is read from the very object that the entry was captured with (None: not
    known), so that one module whose attribute changes is told from two modules."""

    source: str
    kind: GuardKind
    expected: str
    actual: str
    file: str | None = None
    line: int | None = None
    function: str | None = None
    code: str | None = None  # the source line itself
    near: Line | None = None
    stack: tuple[Line, ...] = ()
    text: str = ""
    first: bool = False
    root: Root = "other"
    holder: Holder | None = None
    same_holder: bool | None = None
    type: str | None = None


class Against(Model):
    """One cache entry that existed and did not match. `torch_says` is torch's own reason (it
    stops at the first guard that fails). `not_reached` are sources whose guards cannot be asked,
    for what they hang on failed before them."""

    compile_id: str
    torch_says: str
    failed: tuple[FailedGuard, ...]
    not_reached: tuple[str, ...] = ()
    note: str | None = None  # why `failed` is empty, where it is, and what was tried


class Recompile(Model):
    """A frame that had cache entries of which none matched. `fallback` True: the recompile limit
    forbade another entry, and the frame ran eagerly; `compile_id` is then None. `against` has the
    entry in which the fewest things differ first."""

    call: int
    frame: str
    file: str
    line: int
    compile_id: str | None
    fallback: bool = False
    dynamic_dims: tuple[str, ...] = ()  # what became symbolic: "x.shape[0]"
    against: tuple[Against, ...] = ()
