"""What JAX offers instead of what raised."""

from __future__ import annotations

import pytest

from dynprobe.observe.jaxjit.offers import offers_for

BOOL = "jax.errors.TracerBoolConversionError"


@pytest.mark.parametrize(
    ("error", "line", "first"),
    [
        (BOOL, "if x.sum() > 0 and y > 0:", "jax.lax.cond"),
        (BOOL, "elif x.sum() > 0:", "jax.lax.cond"),
        (BOOL, "while x.sum() < 100:", "jax.lax.while_loop"),
        (BOOL, "assert x.sum() > 0, 'no'", "jax.experimental.checkify"),
        (BOOL, "return x > 0 and y > 0", "jnp.where"),
        (BOOL, "x.sum() > 0 and", "jax.lax.cond"),
        (BOOL, None, "jax.lax.cond"),
        ("jax.errors.TracerIntegerConversionError", "for i in range(n):", "jax.lax.fori_loop"),
        ("jax.errors.TracerIntegerConversionError", "return names[n]", "static_argnames"),
        ("jax.errors.ConcretizationTypeError", "print(f'{x:.2f}')", "jax.debug.print"),
        ("NonConcreteBooleanIndexError", "return x[x > 0]", "jnp.where"),
        ("TypeError", "return f'{x:.2f}'", "jax.debug.print"),
        ("TypeError", None, "static_argnames"),
    ],
)
def test_the_first_offer(error: str, line: str | None, first: str) -> None:
    assert offers_for(error, line)[0].name == first


def test_an_error_of_another_kind_has_none() -> None:
    assert offers_for("ValueError", "if x:") == ()
    assert offers_for("ValueError", "raise ValueError(f'{x}')") == ()
