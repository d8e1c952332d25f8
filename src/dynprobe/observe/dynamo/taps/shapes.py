"""What torch's `ShapeEnv` knows of sizes, and the sizes that automatic dynamic shapes compares.

All is read guardedly (names as of torch 2.13): what a version does not have is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ..records import SizeSeen, SymbolSeen


def expression(value: Any) -> Any:
    """The sympy expression of a SymInt or SymFloat as it stands now, all replacements made; None
    where it is a plain number."""
    expr = getattr(getattr(value, "node", None), "expr", None)
    return None if expr is None or expr.is_number else expr


def shape_range(env: Any, expr: Any) -> tuple[int | float | None, int | float | None]:
    """The values an expression can have, both ends inclusive; None where it is unbounded."""
    try:
        found = env.bound_sympy(expr)
        low, high = found.lower, found.upper
    except Exception:  # of symbols that have no range (nested tensors)
        return None, None
    return _number(low), _number(high)


def _number(value: Any) -> int | float | None:
    """An end of a range; torch's own infinities raise what they please."""
    try:
        number = int(value) if getattr(value, "is_integer", False) else float(value)
    except Exception:
        return None
    return number if abs(number) < 2**62 else None


def symbols(env: Any) -> Iterator[SymbolSeen]:
    """Every symbol that was made for an input, with what it is now."""
    for symbol, sources in (getattr(env, "var_to_sources", None) or {}).items():
        names = tuple(source_name(s) for s in sources if not s.is_ephemeral())
        final, last = _followed(env, symbol)
        stack = next((s for s in map(_stacks(env).get, sources) if s), ())
        yield SymbolSeen(str(symbol), names, final, tuple(stack), _said(env, symbol, last))


def _followed(env: Any, symbol: Any) -> tuple[Any, Any]:
    """What a symbol was replaced by in the end, and the symbol whose replacement was the last."""
    replaced = getattr(env, "replacements", None) or {}
    last, now = symbol, symbol
    for _ in range(64):
        if now not in replaced:
            break
        last, now = now, replaced[now]
    return (env.replace(symbol) if now is not symbol else symbol), last


def _stacks(env: Any) -> dict[Any, Any]:
    return getattr(env, "specialization_stacks", None) or {}


def _said(env: Any, symbol: Any, last: Any) -> str:
    """torch's text of the line that made it replace a symbol: `x + y  # a.py:3 in f (…)`."""
    places = getattr(env, "replacements_slocs", None) or {}
    found = places.get(symbol) or places.get(last)
    return str(getattr(found, "maybe_user_loc", None) or "")


def source_name(source: Any) -> str:
    name = source.name
    return str(name() if callable(name) else name)


def is_listed_dynamic(source: str, dim: int) -> bool:
    """Whether `torch.compiler.config.dynamic_sources` names a size; False where torch has none."""
    from .read import dynamo_module

    asked = getattr(dynamo_module("variables.builder"), "is_dynamic_source", None)
    try:
        return bool(asked and asked(source, *([dim] if _takes_dim(asked) else [])))
    except Exception:
        return False


def _takes_dim(asked: Callable[..., Any]) -> bool:
    """In torch 2.9 a source is listed with all its dimensions."""
    return len(inspect.signature(asked).parameters) > 1


def tells_sizes(told: Callable[[SizeSeen], Any]) -> Callable[[Any], Any]:
    """Wraps the function with which automatic dynamic shapes compares what came with what came
    before (`update_automatic_dynamic(tx, name, entry)`)."""

    def wrap(original: Any) -> Any:
        def update(tx: Any, name: str, entry: Any, *args: Any, **kwargs: Any) -> Any:
            seen = SizeSeen(str(name), _sizes(entry), _scalar(entry))
            told(seen)
            return original(tx, name, entry, *args, **kwargs)

        return update

    return wrap


def _sizes(entry: Any) -> tuple[int | None, ...] | None:
    size = getattr(entry, "size", None)
    if not isinstance(size, tuple):
        return None
    return tuple(s if type(s) is int else None for s in size)


def _scalar(entry: Any) -> int | float | None:
    value = getattr(entry, "scalar", None)
    return value if type(value) in (int, float) else None
