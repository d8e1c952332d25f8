"""What a function changes in place, through the bridge, against eager torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dynprobe.observe.jaxjit.bridge.call import Bridged
from dynprobe.observe.jaxjit.bridge.mode import NotBridged

X = torch.arange(12.0).reshape(3, 4)


def through(function: Callable[..., Any], x: torch.Tensor, *, jit: bool) -> Any:
    bridged = Bridged(function, concrete=not jit)
    args, kwargs = bridged.arguments((x,), {})
    run = jax.jit(bridged.traced) if jit else bridged.traced
    return bridged.plain(run(*args, **kwargs))


def equals_eager(function: Callable[..., Any], *, jit: bool) -> None:
    torch.manual_seed(0)
    found = through(function, X.clone(), jit=jit)
    torch.manual_seed(0)
    torch.testing.assert_close(found, function(X.clone()))


def chained(x: torch.Tensor) -> Any:
    y = x.clone()
    y[1:, ::2].mul_(2)
    y.t()[0].add_(1)
    y.diagonal().fill_(5)
    y.view(-1)[3] = 7
    y.unsqueeze(0).transpose(1, 2)[0, 1].sub_(1)
    first, second = y.split(2, 1)
    second.zero_()
    y.permute(1, 0).narrow(0, 1, 2).add_(3)
    return y, first, second


def strided(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y.as_strided((2, 2), (1, 2), 1).mul_(3)
    return y


def bits(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y.view(torch.int32).bitwise_or_(1)
    return y


def elements(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(4)
    y[0] = x.sum()
    y[1] = x.relu()[1, 2]
    return y


def many(x: torch.Tensor) -> Any:
    listed = [x.clone(), x.clone() * 2]
    torch._foreach_add_(listed, 1)
    return listed


def drawn(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    return y.normal_() + y.clone().uniform_() + y.clone().exponential_() + torch.rand_like(y)


def dropped(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.alpha_dropout(torch.nn.functional.dropout(x), 0.3, True)


def gradient(x: torch.Tensor) -> torch.Tensor:
    p = x.clone().requires_grad_()
    (p * p).sum().backward()
    assert p.grad is not None
    return p.grad


CASES = [chained, strided, bits, elements, many, drawn, dropped, gradient]


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("function", CASES)
def test_equals_eager(function: Callable[..., Any], jit: bool) -> None:
    equals_eager(function, jit=jit)


def test_an_argument_that_is_changed_is_dataflow() -> None:
    given_tensor = X.clone()
    found = through(lambda x: x.add_(1), given_tensor, jit=True)
    torch.testing.assert_close(found, X + 1)
    torch.testing.assert_close(given_tensor, X)  # jax was given a copy


def test_a_closed_over_tensor_is_written_back_when_concrete() -> None:
    total = torch.zeros(3, 4)
    for _ in range(2):
        through(lambda x: total.add_(x), X, jit=False)
    torch.testing.assert_close(total, 2 * X)


@pytest.mark.parametrize("change", ["t_", "squeeze_"])
def test_a_shape_changed_in_place_is_refused(change: str) -> None:
    with pytest.raises(NotBridged, match="changes the shape of a tensor in place"):
        through(lambda x: getattr(x.clone(), change)(), X, jit=False)


VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "transpose": lambda v: v.transpose(0, -1),
    "flat": lambda v: v.reshape(-1) if v.is_contiguous() else v,
    "tail": lambda v: v[1:] if v.size(0) > 1 else v,
    "step": lambda v: v[..., ::2],
    "unsqueeze": lambda v: v.unsqueeze(0),
    "diagonal": lambda v: v.diagonal() if v.dim() > 1 else v,
    "pick": lambda v: v[0] if v.dim() > 1 else v,
    "squeeze": lambda v: v.squeeze() if v.numel() > 1 else v,
}
CHANGES: dict[str, Callable[[torch.Tensor], Any]] = {
    "add": lambda v: v.add_(1),
    "mul": lambda v: v.mul_(2),
    "fill": lambda v: v.fill_(3),
    "first": lambda v: v[0].sub_(1),
    "read": lambda v: v.sum(),
}
STEPS = st.lists(st.sampled_from([*VIEWS, *CHANGES]), min_size=1, max_size=8)


@given(STEPS, st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_chain_of_views_and_changes(steps: list[str], jit: bool) -> None:
    def run(x: torch.Tensor) -> Any:
        base = x.clone()
        view = base
        for step in steps:
            if step in VIEWS:
                view = VIEWS[step](view)
            elif view.dim():
                CHANGES[step](view)
        return base, view

    equals_eager(run, jit=jit)
