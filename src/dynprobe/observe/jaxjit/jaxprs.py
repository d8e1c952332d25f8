"""The program of a trace, as the report has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...report import Jaxpr

_LONG = 200_000  # characters of a jaxpr's text


def jaxpr_row(call: int, closed: Any, *, text: bool) -> Jaxpr:
    """`closed` is a `ClosedJaxpr`."""
    names = Counter(equation.primitive.name for equation in _equations(closed.jaxpr))
    said = str(closed) if text else None
    return Jaxpr(
        call=call,
        eqns=names.total(),
        primitives=dict(names.most_common()),
        inputs=tuple(var.aval.str_short(short_dtypes=True) for var in closed.jaxpr.invars),
        outputs=tuple(var.aval.str_short(short_dtypes=True) for var in closed.jaxpr.outvars),
        consts=tuple(_const(const) for const in closed.consts),
        text=said if said is None or len(said) <= _LONG else f"{said[:_LONG]} …",
    )


def _equations(jaxpr: Any) -> Iterator[Any]:
    """Those of the jaxprs inside it too: a nested jit, the sides of a cond."""
    for equation in jaxpr.eqns:
        inner = list(_inner(equation.params.values()))
        if not inner or equation.primitive.name not in ("pjit", "jit", "closed_call"):
            yield equation
        for found in inner:
            yield from _equations(found)


def _inner(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _inner(value)
        elif hasattr(value, "eqns"):
            yield value
        elif hasattr(getattr(value, "jaxpr", None), "eqns"):
            yield value.jaxpr


def _const(value: Any) -> str:
    shape = ",".join(map(str, getattr(value, "shape", ())))
    return f"{getattr(value, 'dtype', type(value).__name__)}[{shape}]"
