"""Strides as an entry holds them: numbers, or sizes that they must follow from."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .facts import Fact, Facts, bare

CONTIGUOUS = "contiguous"


def strides(facts: Facts, tensor: str, fact: Fact) -> str:
    """`contiguous`, else `(1, x.shape[0])`; `*` where any will do."""
    assert fact.wanted is not None
    sizes = (fact.tensor.sizes or ()) if fact.tensor is not None else ()
    told = [_step(facts, tensor, i) if s is None else str(s)
            for i, s in enumerate(fact.wanted.stride)]  # fmt: skip
    if len(sizes) == len(told) and _is_contiguous(told, sizes, bare(tensor)):
        return CONTIGUOUS
    return f"({', '.join(told)}{',' if len(told) == 1 else ''})"


def _step(facts: Facts, tensor: str, dim: int) -> str:
    name = f"{bare(tensor)}.stride()[{dim}]"
    for guard in facts.together:
        left, equal, right = guard.condition.partition(" == ")
        if equal and left == name:
            return right
    fact = facts.known.get(name)
    if fact is None or fact.low is None:
        return "*"
    return str(fact.low) if fact.low == fact.high else f"≥ {fact.low}"


def _is_contiguous(told: Sequence[str], sizes: Sequence[int | None], name: str) -> bool:
    """Whether each stride is the product of the sizes after it; of a size of 1 it may be any."""
    for dim, step in enumerate(told):
        after = [f"{name}.shape[{i}]" if s is None else str(s)
                 for i, s in enumerate(sizes) if i > dim]  # fmt: skip
        if sizes[dim] != 1 and _factors(step) != _factors("*".join(after) or "1"):
            return False
    return True


def _factors(product: str) -> tuple[int, tuple[str, ...]]:
    parts = [part.strip(" ()") for part in product.split("*")]
    numbers = [int(part) for part in parts if part.isdigit()]
    return prod(numbers), tuple(sorted(part for part in parts if not part.isdigit()))
