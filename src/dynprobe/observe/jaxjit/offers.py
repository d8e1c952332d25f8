"""What JAX offers instead of what raised, by the class of the error and the line it rose from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...report import JaxOffer

_COND = JaxOffer(name="jax.lax.cond", text="chooses between two functions by a traced value")
_WHERE = JaxOffer(name="jnp.where", text="chooses element by element, both sides computed")
_WHILE = JaxOffer(name="jax.lax.while_loop", text="repeats while a traced condition holds")
_STATIC = JaxOffer(
    name="static_argnames", text="makes an argument part of what a trace is keyed by, not traced"
)
_CHECK = JaxOffer(name="jax.experimental.checkify", text="checks traced values when they are known")
_COMPRESS = JaxOffer(
    name="jnp.compress(…, size=n)", text="picks by a mask into a size known when traced"
)
_FORI = JaxOffer(name="jax.lax.fori_loop", text="repeats a traced number of times")
_PRINT = JaxOffer(name="jax.debug.print", text="prints values when the program runs")
_SIZE = JaxOffer(name="jnp.nonzero(…, size=n)", text="has a size that is known when traced")
_ARRAY = JaxOffer(
    name="the array itself", text="stays on the device and is traced; convert outside"
)
_JNP = JaxOffer(name="jax.numpy", text="has the same functions, and they trace")
_CALLBACK = JaxOffer(name="jax.pure_callback", text="calls Python with the values when it runs")
_RETURN = JaxOffer(
    name="returned state", text="give what is to be kept as a result of the function"
)

_BY_CLASS: dict[str, tuple[JaxOffer, ...]] = {
    "ConcretizationTypeError": (_ARRAY, _STATIC),
    "TracerIntegerConversionError": (_STATIC,),
    "TracerArrayConversionError": (_JNP, _CALLBACK),
    "NonConcreteBooleanIndexError": (_WHERE, _COMPRESS, _SIZE),
    "UnexpectedTracerError": (_RETURN,),
    "TypeError": (_STATIC,),
}


def offers_for(error_type: str, line: str | None) -> tuple[JaxOffer, ...]:
    """For an error of this class (its module in front or not), raised from `line`."""
    name = error_type.rpartition(".")[2]
    tree = _parsed(line or "")
    if name == "TracerBoolConversionError":
        return _of_bool(tree)
    if name == "TracerIntegerConversionError" and "range" in _called(tree):
        return (_FORI, _STATIC)
    formats = any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree))
    if formats and name in ("TypeError", "ConcretizationTypeError"):
        return (_PRINT,)
    return _BY_CLASS.get(name, ())


def _of_bool(tree: ast.Module) -> tuple[JaxOffer, ...]:
    """By the statement that asked; a statement says more than an `and` inside of it."""
    first = tree.body[0] if tree.body else None
    if isinstance(first, ast.While):
        return (_WHILE,)
    if isinstance(first, ast.Assert):
        return (_CHECK,)
    if isinstance(first, ast.If) or first is None:
        return (_COND, _WHERE, _STATIC)
    asks = any(isinstance(n, ast.BoolOp | ast.Not | ast.IfExp) for n in ast.walk(tree))
    return (_WHERE, _COND) if asks else (_COND, _WHERE, _STATIC)


def _parsed(line: str) -> ast.Module:
    """A line as a module of its own: a header gets a body; empty where it is part of a longer
    statement."""
    text = line.strip().removeprefix("el") if line.strip().startswith("elif") else line.strip()
    for whole in (text, f"{text} pass"):
        try:
            return ast.parse(whole)
        except (SyntaxError, ValueError):
            continue
    return ast.Module(body=[], type_ignores=[])


def _called(tree: ast.Module) -> Iterator[str]:
    """Names of the functions that a line calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
