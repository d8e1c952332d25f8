"""The form of an operator that changes nothing: `add.Tensor` for `add_.Tensor` and `add.out`."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch


@cache
def out_names(func: Any) -> tuple[str, ...]:
    """The arguments that results are put into."""
    if func._schema.name.endswith("_"):
        return ()
    return tuple(a.name for a in func._schema.arguments if a.is_out)


@cache
def functional_of(func: Any) -> Any | None:
    """None where torch has none."""
    space, _, name = func._schema.name.partition("::")
    outs = out_names(func)
    bare = name if outs else name.removesuffix("_")
    packet = getattr(getattr(torch.ops, space), bare, None)
    if packet is None or (bare == name and not outs):
        return None
    wanted = {a.name: str(a.type) for a in func._schema.arguments if a.name not in outs}
    fitting = [
        found
        for found in (getattr(packet, overload) for overload in packet.overloads())
        if not found._schema.is_mutable and _fits(wanted, found)
    ]
    own = func._overloadname.removesuffix("_out")
    return next((f for f in fitting if f._overloadname == own), next(iter(fitting), None))


def _fits(wanted: dict[str, str], found: Any) -> bool:
    """The same arguments of the same types; those it has besides have defaults."""
    theirs = {a.name: str(a.type) for a in found._schema.arguments}
    extra = [a for a in found._schema.arguments if a.name not in wanted]
    same = all(theirs.get(name) == kind for name, kind in wanted.items())
    return same and all(a.has_default_value() for a in extra)
