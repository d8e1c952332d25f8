"""What the session says of a torch function through the bridge, beside raw `jax.jit` of the same
function written for jax, with a trace counter of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
import torch

from dynprobe.observe.jaxjit.session import JaxSession
from dynprobe.observe.jaxjit.subject import Bridge
from dynprobe.observe.target.load import describe
from dynprobe.observe.values.make import MadeCall
from dynprobe.spec.model import Options


def ones(*shape: int, dtype: Any = torch.float32) -> torch.Tensor:
    return torch.ones(shape, dtype=dtype)


def branch(x: Any) -> Any:
    if x.sum() > 0:
        return x + 1
    return x - 1


def loop(x: Any) -> Any:
    while x.sum() < 100:
        x = x * 2
    return x


def swallowed(x: Any) -> Any:
    try:
        if x.sum() > 0:
            return x + 1
    except Exception:
        pass
    return x - 1


def offset(x: Any, bias: Any = None) -> Any:
    bias = bias or 0.0
    return x + bias


def scaled(x: Any, n: Any = 2) -> Any:
    return x * n


def total(xs: Any) -> Any:
    return sum(x.sum() for x in xs)


def flagged(x: Any, flag: Any) -> Any:
    return x + 1 if flag else x - 1


def repeated(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x + 1
    return x


def shifted(x: Any) -> Any:
    return x - x[0].item()


def listed(x: Any) -> Any:
    return x.tolist()


def masked(x: Any) -> Any:
    return x[x > 0] * 2


def checked(x: Any) -> Any:
    assert x.sum() > 0
    return x


def named(x: Any, mode: Any) -> Any:
    return x + 1 if mode == "up" else x - 1


# Written once, these run on both: they use only what the two kinds of array share.
CASES: dict[str, tuple[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = {
    "shapes": (scaled, [((ones(n),), {}) for n in (4, 5, 6, 7, 4)]),
    "ranks": (scaled, [((ones(*s),), {}) for s in ((4,), (2, 2), (1, 2, 2), (4,))]),
    "dtypes": (
        scaled,
        [((ones(4, dtype=d),), {}) for d in (torch.float32, torch.int32, torch.float16)],
    ),
    "an int": (scaled, [((ones(4), n), {}) for n in (2, 3, 4)]),
    "int then float": (scaled, [((ones(4), n), {}) for n in (2, 2.0, 3)]),
    "by keyword": (scaled, [((ones(4), 2), {}), ((ones(4),), {"n": 2}), ((ones(4), 2), {})]),
    "list length": (total, [(([ones(2)] * n,), {}) for n in (2, 3, 2)]),
    "None or a number": (offset, [((ones(3),), {}), ((ones(3), 0.5), {}), ((ones(3), None), {})]),
    "if": (branch, [((ones(4),), {})] * 2),
    "while": (loop, [((ones(4),), {})] * 2),
    "try": (swallowed, [((ones(4),), {})] * 2),
    "a bool": (flagged, [((ones(4), flag), {}) for flag in (True, False)]),
    "range": (repeated, [((ones(4), 2), {})]),
    "item": (shifted, [((ones(4),), {})]),
    "tolist": (listed, [((ones(4),), {})]),
    "mask": (masked, [((ones(4),), {})] * 2),
    "assert": (checked, [((ones(4),), {})]),
    "a string": (named, [((ones(4), "up"), {})]),
}


def raw(function: Callable[..., Any], calls: Any) -> list[tuple[str, int]]:
    """Outcome and traces per call, of jax alone."""
    ran = []

    def counted(*args: Any, **kwargs: Any) -> Any:
        ran.append(None)
        return function(*args, **kwargs)

    counted.__wrapped__ = function  # type: ignore[attr-defined]
    jitted = jax.jit(counted)
    told = []
    for args, kwargs in calls:
        args, kwargs = jax.tree_util.tree_map(
            lambda v: jnp.asarray(v.numpy()) if isinstance(v, torch.Tensor) else v, (args, kwargs)
        )
        before = len(ran)
        try:
            jitted(*args, **kwargs)
            outcome = "trace" if len(ran) > before else "hit"
        except Exception as error:
            outcome = type(error).__name__
        told.append((outcome, len(ran) - before))
    return told


@pytest.mark.parametrize("name", CASES)
def test_outcomes_are_those_of_raw_jax(name: str) -> None:
    function, calls = CASES[name]
    session = JaxSession(Bridge(describe(function), Options(), concrete=False), Options())
    rows = [session.call(i, MadeCall(a, k)).call for i, (a, k) in enumerate(calls)]
    told = [
        (row.error.type.rpartition(".")[2] if row.error else row.outcome, row.traces)
        for row in rows
    ]
    assert told == raw(function, calls)


@pytest.mark.parametrize(
    ("name", "at", "kind", "path"),
    [
        ("shapes", 1, "shape", "x"),
        ("ranks", 1, "rank", "x"),
        ("dtypes", 1, "dtype", "x"),
        ("int then float", 1, "dtype", "n"),
        ("by keyword", 1, "structure", "n"),
        ("list length", 1, "structure", "xs"),
    ],
)
def test_why_a_call_was_traced_anew(name: str, at: int, kind: str, path: str) -> None:
    function, calls = CASES[name]
    session = JaxSession(Bridge(describe(function), Options(), concrete=False), Options())
    rows = [session.call(i, MadeCall(a, k)).call for i, (a, k) in enumerate(calls)]
    assert [(cause.kind, cause.path) for cause in rows[at].causes] == [(kind, path)]


def test_an_error_is_at_the_users_line() -> None:
    session = JaxSession(Bridge(describe(branch), Options(), concrete=False), Options())
    row = session.call(0, MadeCall((ones(4),))).call
    assert row.error is not None
    assert row.error.where is not None
    assert row.error.where.text == "if x.sum() > 0:"
    assert row.offers[0].name == "jax.lax.cond"


def _bert() -> torch.nn.Module:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        vocab_size=50,
    )  # fmt: skip
    model: torch.nn.Module = transformers.BertModel(config).eval()
    return model


def tensors_of(result: Any) -> list[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        return [result]
    values = result.values() if isinstance(result, dict) else result
    return [tensor for value in values for tensor in tensors_of(value)]


NETS: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {
    "linear": (lambda: torch.nn.Linear(4, 3), (torch.randn(2, 4),)),
    "conv": (lambda: torch.nn.Conv2d(2, 3, 3, padding=1), (torch.randn(1, 2, 5, 5),)),
    "batch norm in training": (lambda: torch.nn.BatchNorm1d(4), (torch.randn(3, 4),)),
    "layer norm": (lambda: torch.nn.LayerNorm(4), (torch.randn(3, 4),)),
    "gru": (lambda: torch.nn.GRU(4, 3), (torch.randn(5, 2, 4),)),
    "lstm": (lambda: torch.nn.LSTM(4, 3, bidirectional=True), (torch.randn(5, 2, 4),)),
    "encoder": (
        lambda: torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(),
        (torch.randn(2, 3, 8),),
    ),
    "embedding": (lambda: torch.nn.Embedding(9, 4), (torch.tensor([[1, 2], [3, 8]]),)),
    "bert": (_bert, (torch.tensor([[1, 2, 3, 4]]),)),
}


@pytest.mark.parametrize("name", NETS)
def test_a_module_under_jit_gives_what_eager_gives(name: str) -> None:
    make, args = NETS[name]
    torch.manual_seed(0)
    eager = tensors_of(make()(*args))
    torch.manual_seed(0)
    bridge = Bridge(describe(make()), Options(), concrete=False)
    given, named = bridge.arguments(args, {})
    told = tensors_of(bridge.result(bridge.jit(*given, **named)))
    assert bridge.traces == 1
    for mine, theirs in zip(told, eager, strict=True):
        torch.testing.assert_close(mine, theirs.detach(), rtol=1e-4, atol=1e-5)
