"""What asks a tensor for a Python value: jax's own error, the same as raw jax gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from dynprobe.observe.jaxjit.bridge.call import Bridged

X = torch.arange(12.0).reshape(3, 4)
J = jnp.arange(12.0).reshape(3, 4)


def through(function: Callable[..., Any], *given: Any, jit: bool) -> Any:
    bridged = Bridged(function, concrete=not jit)
    args, kwargs = bridged.arguments(given, {})
    run = jax.jit(bridged.traced) if jit else bridged.traced
    return bridged.plain(run(*args, **kwargs))


def branch(x: Any) -> Any:
    return x + 1 if x.sum() > 0 else x - 1


def loop(x: Any) -> Any:
    while x.sum() > 0:
        x = x - 10
    return x


def checked(x: Any) -> Any:
    assert x.sum() > 0
    return x


BOTH: dict[str, Callable[[Any], Any]] = {
    "if": branch,
    "while": loop,
    "assert": checked,
    "int": lambda x: int(x.sum()),
    "float": lambda x: float(x.sum()),
    "item": lambda x: x.sum().item(),
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: np.sin(x).sum(),
    "format": lambda x: len(f"{x.sum():.2f}"),
    "mask": lambda x: x[x > 3],
}


@pytest.mark.parametrize("name", BOTH)
def test_the_error_is_the_one_of_raw_jax(name: str) -> None:
    with pytest.raises(Exception) as raw:  # noqa: PT011 - its class is what is compared
        jax.jit(BOTH[name])(J)
    with pytest.raises(raw.type) as bridged:
        through(BOTH[name], X, jit=True)
    assert bridged.type is raw.type


@pytest.mark.parametrize("name", BOTH)
def test_a_concrete_run_equals_eager(name: str) -> None:
    found, eager = through(BOTH[name], X, jit=False), BOTH[name](X)
    np.testing.assert_allclose(np.asarray(found), np.asarray(eager), rtol=1e-6)


TORCH: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "equal": (lambda x: torch.equal(x, x), jax.errors.TracerBoolConversionError),
    "allclose": (lambda x: torch.allclose(x, x), jax.errors.TracerBoolConversionError),
    "from_numpy": (lambda x: torch.from_numpy(x.numpy()), jax.errors.TracerArrayConversionError),
    "nonzero": (torch.nonzero, jax.errors.ConcretizationTypeError),
}


@pytest.mark.parametrize("name", TORCH)
def test_of_torch_alone(name: str) -> None:
    function, error = TORCH[name]
    with pytest.raises(error):
        through(function, X, jit=True)
    found, eager = through(function, X, jit=False), function(X)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(eager))


def test_a_traced_number_is_no_range() -> None:
    with pytest.raises(jax.errors.TracerIntegerConversionError):
        through(lambda x, n: [x for _ in range(n)], X, 2, jit=True)


@pytest.mark.parametrize("use", [lambda x, n: x[:n], lambda x, n: torch.zeros(n)])
def test_a_traced_number_is_no_size(use: Callable[..., Any]) -> None:
    with pytest.raises(jax.errors.ConcretizationTypeError):
        through(use, X, 2, jit=True)
    torch.testing.assert_close(through(use, X, 2, jit=False), use(X, 2))


def facts(x: torch.Tensor) -> Any:
    rows = [row.dim() for row in x]
    same = isinstance(x, torch.Tensor) and torch.is_tensor(x) and not x.is_cuda
    return rows, same, len(x), x.numel(), x.stride(), x.T.is_contiguous()


@pytest.mark.parametrize("jit", [False, True])
def test_it_is_a_tensor_of_torch(jit: bool) -> None:
    seen: list[Any] = []
    through(lambda x: (seen.append(facts(x)), x)[1], X, jit=jit)
    assert seen == [facts(X)]
