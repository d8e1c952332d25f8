"""Advice names the tensor of the case it is printed for: what it says is run as it is printed, on
the arguments of the first call, and torch's own count of graphs is taken."""

from __future__ import annotations

import inspect
import re
from types import SimpleNamespace

import pytest
import torch
from torch._dynamo.testing import CompileCounter

import dynprobe

MARK = re.compile(r"torch\._dynamo\.(?:decorators\.)?mark_\w+\([^)]*\)")


class Holder(torch.nn.Module):
    """A tensor that is neither parameter nor buffer."""

    def __init__(self, size):
        super().__init__()
        self.table = torch.ones(size, 2)

    def forward(self, x):
        return self.table.sum(0) + x


def plus(x):
    return x + 1


def of_object(batch):
    return batch.x + 1


def of_list(xs):
    return xs[0] + 1


def of_dict(inputs):
    return inputs["ids"] + 1


def of_tuple_in_object(batch):
    return batch.pair[1].sum(1)


def of_module(holder, x):
    return holder.table.sum(0) + x


def of_keyword(x, *, y):
    return torch.sin(x) + y.sum()


SIZED = {
    "argument": (plus, lambda n: ((torch.ones(n),), {})),
    "second dimension": (plus, lambda n: ((torch.ones(2, n),), {})),
    "object": (of_object, lambda n: ((SimpleNamespace(x=torch.ones(n)),), {})),
    "list": (of_list, lambda n: (([torch.ones(2, n)],), {})),
    "dict": (of_dict, lambda n: (({"ids": torch.ones(n)},), {})),
    "tuple in an object": (
        of_tuple_in_object,
        lambda n: ((SimpleNamespace(pair=(1, torch.ones(n, 3))),), {}),
    ),
    "attribute of a module": (of_module, lambda n: ((Holder(n), torch.ones(2)), {})),
    "keyword": (of_keyword, lambda n: ((torch.ones(2),), {"y": torch.ones(n)})),
}
SIZES = {"size-recompile": (4, 5, 6), "size-zero-one": (4, 1, 5)}


def graphs(function, calls):
    torch._dynamo.reset()
    counter = CompileCounter()
    compiled = torch.compile(function, backend=counter)
    for args, kwargs in calls:
        compiled(*args, **kwargs)
    return counter.frame_count


def finding(function, calls, rule):
    torch._dynamo.reset()
    report = dynprobe.explain(function, calls)
    return next((found for found in report.findings if found.rule == rule), None)


def follow(advice, function, call):
    """Runs the marks that advice says, on what a call passes."""
    args, kwargs = call
    named = inspect.signature(function).bind(*args, **kwargs).arguments
    for mark in MARK.findall(advice):
        eval(mark, {"torch": torch, **named})
    return bool(MARK.search(advice))


@pytest.mark.parametrize("rule", SIZES)
@pytest.mark.parametrize("name", SIZED)
def test_a_size_is_marked_as_the_advice_says(name, rule):
    function, make = SIZED[name]
    sizes = SIZES[rule]
    assert graphs(function, [make(n) for n in sizes]) > 1
    found = finding(function, [make(n) for n in sizes], rule)
    if found is None:  # told of several modules with one code, where no mark is advised
        assert name == "attribute of a module"
        return
    calls = [make(n) for n in sizes]
    assert follow(found.advice.splitlines()[0], function, calls[0])
    assert graphs(function, calls) == 1


@pytest.mark.parametrize(
    ("name", "tensor"),
    [("object", "batch.x"), ("list", "xs[0]"), ("dict", "inputs['ids']")],
)
@pytest.mark.parametrize(
    ("rule", "change", "said"),
    [
        ("dtype-change", torch.Tensor.double, "pass {} in one dtype"),
        ("stride-change", lambda x: torch.stack([x, x], -1)[..., 0], "{}.contiguous()"),
        ("requires-grad-change", torch.Tensor.requires_grad_, "pass {}.detach()"),
        ("rank-change", lambda x: x[None], "give {} the same number of dimensions"),
        ("device-change", lambda x: x.to("meta"), "move {} to one device"),
    ],
)
def test_the_tensor_is_named_where_it_hangs_on_something(name, tensor, rule, change, said):
    function, make = SIZED[name]
    (holder,), _ = call = make(3)
    if isinstance(holder, SimpleNamespace):
        holder.x = change(holder.x)
    else:
        key = 0 if isinstance(holder, list) else "ids"
        holder[key] = change(holder[key])
    found = finding(function, [make(3), call], rule)
    assert found is not None
    assert said.format(tensor) in found.advice
