"""Elements picked and set, through the bridge, against eager torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import pytest
import torch
from torch.nn import functional

from dynprobe.observe.jaxjit.bridge.call import Bridged

X = torch.arange(12.0).reshape(3, 4)
ROWS = torch.tensor([0, 2])
AT = torch.tensor([[0, 1, 2, 0]])


def through(function: Callable[..., Any], *given: Any, jit: bool) -> Any:
    bridged = Bridged(function, concrete=not jit)
    args, kwargs = bridged.arguments(given, {})
    run = jax.jit(bridged.traced) if jit else bridged.traced
    return bridged.plain(run(*args, **kwargs))


CASES: dict[str, Callable[[torch.Tensor], Any]] = {
    "negative": lambda x: x[torch.tensor([0, -1]), :2],
    "middle": lambda x: x[None][:, ROWS, None],
    "apart": lambda x: x[None][ROWS * 0, :, ROWS],
    "put": lambda x: x.index_put((torch.tensor([0, -1]),), torch.tensor(5.0)),
    "put twice": lambda x: x.index_put((ROWS * 0,), x[:2], accumulate=True),
    "select": lambda x: x.index_select(1, ROWS),
    "add": lambda x: x.index_add(0, ROWS, x[:2], alpha=2),
    "copy": lambda x: x.index_copy(0, ROWS, x[:2]),
    "fill": lambda x: x.index_fill(1, ROWS, 9.0),
    "gather": lambda x: x.gather(0, AT),
    "scatter": lambda x: x.scatter(0, AT, x),
    "scatter value": lambda x: x.scatter(0, AT, 2.0),
    "scatter add": lambda x: x.scatter_add(0, AT, x),
    "scatter reduce": lambda x: x.scatter_reduce(0, AT, x, "amax"),
    "masked fill": lambda x: x.masked_fill(x > 3, 0.0),
    "masked scatter": lambda x: x.masked_scatter(x > 3, x),
    "take": lambda x: x.take(torch.tensor([-1, 5])),
    "along": lambda x: x.take_along_dim(AT, 0),
    "embedding": lambda x: functional.embedding(AT, x),
    "cat": lambda x: torch.cat([x, torch.zeros(0), x], 1),
    "stack": lambda x: torch.stack([x, x], -1),
    "pad": lambda x: functional.pad(x, (1, -1, 0, 2), value=3.0),
    "reflect": lambda x: functional.pad(x[None], (1, 1), mode="reflect"),
    "replicate": lambda x: functional.pad(x[None], (2, 1), mode="replicate"),
    "diag_embed": lambda x: torch.diag_embed(x, 1, 0, 2),
    "turned": lambda x: x.flip(0).roll((1, 2), (0, 1)).rot90().repeat(2, 1, 1),
    "triangles": lambda x: x.tril(-1) + x.triu(1),
    "interleave": lambda x: x.repeat_interleave(2, 1),
    "shuffle": lambda x: functional.pixel_shuffle(x.reshape(1, 12, 1, 1), 2),
    "unfold": lambda x: x.unfold(1, 2, 2),
}


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_equals_eager(name: str, jit: bool) -> None:
    torch.testing.assert_close(through(CASES[name], X, jit=jit), CASES[name](X))


@pytest.mark.parametrize("far", [3, -4])
def test_a_place_out_of_range_raises_where_it_is_known(far: int) -> None:
    for run in (lambda x: x[torch.tensor([far])], lambda x: through(_picks(far), x, jit=False)):
        with pytest.raises(IndexError):
            run(X)


def _picks(far: int) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: x[torch.tensor([far])]


MASKED: dict[str, Callable[[torch.Tensor], Any]] = {
    "index": lambda x: x[x > 3],
    "select": lambda x: x.masked_select(x > 3),
}


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_must_be_concrete(name: str) -> None:
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        through(MASKED[name], X, jit=True)
    torch.testing.assert_close(through(MASKED[name], X, jit=False), MASKED[name](X))
