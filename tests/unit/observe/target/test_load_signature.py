"""Calls that cannot fit the target are refused with the form that does; no other is."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from torch import nn

from dynprobe.errors import TargetError
from dynprobe.observe.target.load import describe
from dynprobe.observe.target.signature import check_call, parameters_text


def fn(x, mode):  # type: ignore[no-untyped-def]
    return x


def optional(x, scale=1.0, *, flag=False):  # type: ignore[no-untyped-def]
    return x


def needs_flag(x, *, flag):  # type: ignore[no-untyped-def]
    return x


def nothing():  # type: ignore[no-untyped-def]
    return None


def anything(*args, **kwargs):  # type: ignore[no-untyped-def]
    return args


def one_and_more(x, *rest):  # type: ignore[no-untyped-def]
    return x


class Net(nn.Module):
    @torch.no_grad()
    def forward(self, input_ids, mask=None):  # type: ignore[no-untyped-def]
        return input_ids


X = torch.zeros(4)


def refused(obj: Any, *args: Any, typed: bool = True, **kwargs: Any) -> TargetError:
    with pytest.raises(TargetError) as caught:
        check_call(describe(obj), args, kwargs, 1, typed=typed)
    return caught.value


def test_too_few() -> None:
    error = refused(fn, X)
    assert error.message == "fn(x, mode) takes 2 arguments, call 1 gives 1, without 'mode'"
    assert error.hint == (
        "write --call 4xf32,MODE, where MODE stands for a value such as 4xf32, 3 or 'sin'"
    )
    assert refused(fn).message.endswith("call 1 gives none, without 'x' and 'mode'")
    assert refused(fn, X, typed=False).hint is None


def test_too_many() -> None:
    error = refused(optional, X, 2, 3)
    assert error.message == (
        "optional(x, scale=1.0, *, flag=False) takes 1 to 3 arguments (2 by position), "
        "call 1 gives 3"
    )
    assert error.hint == "write --call 4xf32"
    assert refused(nothing, X).message == "nothing() takes no arguments, call 1 gives 1"


def test_unknown_name() -> None:
    assert refused(fn, X, mod="sin").message == (
        "call 1 names an argument 'mod' that fn(x, mode) does not have: did you mean 'mode'?"
    )


def test_given_twice() -> None:
    assert "gives 'x' of fn(x, mode) twice, by position and by name" in refused(fn, X, x=X).message


def test_by_name_only() -> None:
    error = refused(needs_flag, X)
    assert error.message == (
        "needs_flag(x, *, flag) takes 2 arguments (1 by position), call 1 gives 1, without 'flag'"
    )
    assert error.hint is not None
    assert error.hint.startswith("write --call 4xf32,flag=FLAG")


def test_at_least() -> None:
    assert "takes at least 1 argument, call 1 gives none" in refused(one_and_more).message


@pytest.mark.parametrize(
    "obj",
    [Net(), Net().forward, torch.compile(Net(), backend="eager"), torch.no_grad()(fn)],
    ids=["module", "method", "compiled module", "no_grad"],
)
def test_torchs_wrappers_are_seen_through(obj: Any) -> None:
    assert "takes" in refused(obj, X, X, X).message
    assert "self" not in parameters_text(obj)


def test_compiled_function() -> None:
    assert "takes 2 arguments" in refused(torch.compile(fn, backend="eager"), X).message


class Scaler:
    def __call__(self, x: Any) -> Any:
        return x


def test_callable_object() -> None:
    assert "Scaler(x) takes 1 argument, call 1 gives 2" in refused(Scaler(), X, X).message
    assert "takes 1 argument" in refused(torch.compile(Scaler(), backend="eager"), X, X).message


def test_partial() -> None:
    check_call(describe(functools.partial(fn, mode="sin")), (X,), {}, 0)
    assert "takes" in refused(functools.partial(fn, X), X, X).message


def hands_over_more(f: Any) -> Any:
    @functools.wraps(f)
    def around(*args: Any, **kwargs: Any) -> Any:
        return f(*args, "sin", **kwargs)

    return around


class HookedNet(Net):
    def __init__(self) -> None:
        super().__init__()
        self.register_forward_pre_hook(lambda module, args: args[:1])


@pytest.mark.parametrize(
    ("obj", "args", "kwargs"),
    [
        (fn, (X, 1), {}),
        (fn, (X,), {"mode": 1}),
        (anything, (1, 2, 3), {"a": 1}),
        (hands_over_more(fn), (X,), {}),
        (HookedNet(), (X, X, X), {}),
        (torch.sin, (X,), {}),
        (max, (1, 2), {}),
    ],
)
def test_what_works_is_not_refused(obj: Any, args: Any, kwargs: Any) -> None:
    check_call(describe(obj), args, kwargs, 0)
    obj(*args, **kwargs)
