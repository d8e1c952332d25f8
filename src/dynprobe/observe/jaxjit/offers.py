"""What JAX offers instead of what raised, by the class of the error and the line it rose from."""

from __future__ import annotations

import re

from ...report import JaxOffer

_COND = JaxOffer(name="jax.lax.cond", text="chooses between two functions by a traced value")
_WHERE = JaxOffer(name="jnp.where", text="chooses element by element, both sides computed")
_WHILE = JaxOffer(name="jax.lax.while_loop", text="repeats while a traced condition holds")
_STATIC = JaxOffer(
    name="static_argnames", text="makes an argument part of what a trace is keyed by, not traced"
)
_CHECK = JaxOffer(name="jax.experimental.checkify", text="checks traced values when they are known")
_SIZE = JaxOffer(name="jnp.nonzero(…, size=n)", text="has a size that is known when traced")
_ARRAY = JaxOffer(name="the array itself", text="stays on the device and is traced; convert outside")
_JNP = JaxOffer(name="jax.numpy", text="has the same functions, and they trace")
_CALLBACK = JaxOffer(name="jax.pure_callback", text="calls Python with the values when it runs")
_RETURN = JaxOffer(name="returned state", text="give what is to be kept as a result of the function")

_BY_CLASS: dict[str, tuple[JaxOffer, ...]] = {
    "ConcretizationTypeError": (_ARRAY, _STATIC),
    "TracerIntegerConversionError": (_STATIC,),
    "TracerArrayConversionError": (_JNP, _CALLBACK),
    "NonConcreteBooleanIndexError": (_WHERE, _SIZE),
    "UnexpectedTracerError": (_RETURN,),
    "TypeError": (_STATIC,),
}
_LINES: tuple[tuple[str, tuple[JaxOffer, ...]], ...] = (
    (r"^\s*while\b", (_WHILE,)),
    (r"^\s*assert\b", (_CHECK,)),
    (r"\b(?:and|or|not)\b", (_WHERE, _COND)),
)


def offers_for(error_type: str, line: str | None) -> tuple[JaxOffer, ...]:
    """For an error of this class (its module in front or not), raised from `line`."""
    name = error_type.rpartition(".")[2]
    if name != "TracerBoolConversionError":
        return _BY_CLASS.get(name, ())
    for pattern, offers in _LINES:
        if line and re.search(pattern, line):
            return offers
    return (_COND, _WHERE, _STATIC)
