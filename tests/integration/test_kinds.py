"""Many kinds of function, each beside torch's own counters on the same calls without dynprobe.

What must hold of every one of them: the counters are torch's, every recompile has a guard that
failed and torch's own first among them, nothing is unknown, and no name is Dynamo's.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import random

import pytest
import torch
import torch.utils.checkpoint
from torch import nn
from torch._dynamo.utils import counters

import dynprobe


def r(*shape):
    return torch.randn(*shape)


def each(*values):
    """Calls of one argument."""
    return [((value,), {}) for value in values]


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.by_name = nn.ParameterDict({"a": nn.Parameter(torch.ones(3))})
        self.listed = nn.ParameterList([nn.Parameter(torch.ones(3))])
        self.modules_by_name = nn.ModuleDict({"x": nn.Linear(3, 3)})

    def forward(self, x):
        for part in self.modules_by_name.values():
            x = part(x)
        return x * self.by_name["a"] + self.listed[0]


@dataclasses.dataclass
class Config:
    n: int = 2
    name: str = "x"
    bias: object = None


class Other:
    n = 2
    name = "x"


class Slots:
    __slots__ = ("_scale",)

    def __init__(self, scale):
        self._scale = scale

    @property
    def scale(self):
        return self._scale

    def __getattr__(self, name):
        if name == "made_up":
            return 3
        raise AttributeError(name)


class Noisy:
    def __enter__(self):
        print("in")
        return 2

    def __exit__(self, *_):
        print("out")


def autocast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x @ x


def iterated(x, d):
    for name, value in d.items():
        x = x + value * len(name)
    return x


def configured(x, c):
    return x * c.n + len(c.name) + (0 if c.bias is None else c.bias)


def attribute(x, o):
    return x * (o.k if hasattr(o, "k") else 3)


def with_attribute(**attributes):
    made = type("Holder", (), {})()
    vars(made).update(attributes)
    return made


def break_in_comprehension(x):
    made = [print(i) or x * i for i in range(2)]
    return made[0] + made[1]


def break_in_no_grad(x):
    with torch.no_grad():
        y = x * 2
        torch._dynamo.graph_break()
        y = y + 1
    return y * 3


def own_context(x):
    y = x + 1
    with Noisy() as k:
        y = y * k
    return y.sin()


def tried(x):
    y = x + 1
    try:
        y = y * 2
        print("t")
    except ValueError:
        y = y - 1
    finally:
        y = y + 3
    return y.sin()


def helper(x):
    if x.sum() > 1000:
        return x
    return x + 1


def helper_in_loop(x):
    for _ in range(3):
        x = helper(x)
    return x.cos()


def recursive(x, n):
    if n == 0:
        torch._dynamo.graph_break()
        return x
    return recursive(x + 1, n - 1) * 2


def generator_inside(x):
    def parts():
        for i in range(3):
            yield x * i

    return sum(parts())


def changed(x, seen):
    seen.append(x)
    x.add_(1)
    return x * len(seen)


def optimizer(kind):
    w = nn.Parameter(torch.ones(3))
    made = kind([w], lr=0.1)

    def step(scale):
        w.grad = torch.ones(3) * scale
        made.step()

    return step


def same_twice():
    x = r(3)
    return [((x, x), {}), ((r(3), r(3)), {}), ((x, x), {})]


def pieces(x):
    return torch.stack([x * i for i in range(3) if i])


LINEAR = nn.Linear(3, 3)
KINDS = {
    "conv": (
        lambda: nn.Conv2d(3, 4, 3),
        lambda: each(r(1, 3, 8, 8), r(2, 3, 8, 8), r(2, 3, 9, 9)),
    ),
    "batch norm": (lambda: nn.BatchNorm1d(4), lambda: each(r(3, 4), r(4, 4), r(5, 4))),
    "lstm": (lambda: nn.LSTM(4, 5), lambda: each(r(3, 2, 4), r(4, 2, 4))),
    "encoder": (
        lambda: nn.TransformerEncoderLayer(8, 2, 16),
        lambda: each(r(3, 2, 8), r(4, 2, 8)),
    ),
    "sequential": (
        lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Dropout(), nn.LayerNorm(4)),
        lambda: each(r(2, 4), r(3, 4), r(1, 4)),
    ),
    "parts": (Parts, lambda: each(r(2, 3), r(3, 3))),
    "checkpoint": (
        lambda: lambda x: torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False),
        lambda: each(r(3).requires_grad_(), r(4).requires_grad_()),
    ),
    "vmap": (lambda: lambda x: torch.vmap(torch.sum)(x), lambda: each(r(3, 2), r(4, 2))),
    "func grad": (
        lambda: lambda x: torch.func.grad(lambda y: (y**2).sum())(x),
        lambda: each(r(3), r(4)),
    ),
    "autocast": (lambda: autocast, lambda: each(r(3, 3), r(4, 4))),
    "iterated dict": (
        lambda: iterated,
        lambda: [
            ((r(3), d), {}) for d in ({"a": 1.0, "bb": 2.0}, {"a": 1.0, "c": 2.0}, {"a": 1.0})
        ],
    ),
    "a missing key": (
        lambda: lambda x, d: x * d.get("a", 2.0),
        lambda: [((r(3), {"a": 1.0}), {}), ((r(3), {"b": 1.0}), {})],
    ),
    "a missing attribute": (
        lambda: attribute,
        lambda: [((r(3), with_attribute(k=2.0)), {}), ((r(3), with_attribute()), {})],
    ),
    "dataclass": (
        lambda: configured,
        lambda: [
            ((r(3), c), {}) for c in (Config(), Config(3), Config(3, "yy"), Config(3, "yy", r(3)))
        ],
    ),
    "keywords": (
        lambda: lambda x, *a, k=1, **kw: x * k + sum(a) + sum(kw.values()),
        lambda: [
            ((r(3),), {}),
            ((r(3), 1, 2), {}),
            ((r(3),), {"k": 2, "z": 3}),
            ((r(3), 1), {"y": 2.0}),
        ],
    ),
    "dtypes": (
        lambda: lambda x, dtype: x.to(dtype),
        lambda: [((r(3), d), {}) for d in (torch.float64, torch.float16, torch.float64)],
    ),
    "slices": (
        lambda: lambda x, s: x[s] + 1,
        lambda: [((r(8), s), {}) for s in (slice(0, 3), slice(1, 4), slice(None))],
    ),
    "functions": (
        lambda: lambda x, f: f(x) * 2,
        lambda: [
            ((r(3), f), {})
            for f in (torch.sin, torch.cos, lambda v: v + 1, functools.partial(torch.add, other=1))
        ],
    ),
    "modules": (
        lambda: lambda x, m: m(x) + 1,
        lambda: [((r(2, 3), m), {}) for m in (LINEAR, nn.Linear(3, 3, bias=False), nn.ReLU())],
    ),
    "the same tensor twice": (lambda: lambda x, y: x + y if x is y else x - y, same_twice),
    "strides": (lambda: lambda x: x + 1, lambda: each(r(4, 3), r(3, 4).t(), r(4, 6)[:, ::2])),
    "numbers": (
        lambda: lambda x, n: x * n,
        lambda: [((r(3), n), {}) for n in (2, True, 2.0, 3)],
    ),
    "numpy": (lambda: lambda x: torch.from_numpy(x.numpy() * 2), lambda: each(r(3), r(4))),
    "random": (lambda: lambda x: x + torch.rand_like(x), lambda: each(r(3), r(3))),
    "item": (
        lambda: lambda x: torch.zeros(int(x[0].item()) + 1) + 1,
        lambda: each(torch.tensor([2.0]), torch.tensor([3.0])),
    ),
    "comprehension": (lambda: pieces, lambda: each(r(3), r(4))),
    "break in a comprehension": (lambda: break_in_comprehension, lambda: each(r(3), r(3))),
    "break in no_grad": (lambda: break_in_no_grad, lambda: each(r(3), r(3))),
    "own context manager": (lambda: own_context, lambda: each(r(3), r(3))),
    "try": (lambda: tried, lambda: each(r(3), r(3))),
    "helper in a loop": (lambda: helper_in_loop, lambda: each(r(3), r(3), r(4))),
    "recursion": (lambda: recursive, lambda: [((r(3), n), {}) for n in (3, 3, 2)]),
    "generator inside": (lambda: generator_inside, lambda: each(r(3), r(4))),
    "property": (
        lambda: lambda x, p: x * p.scale + p.made_up,
        lambda: [((r(3), Slots(1)), {}), ((r(3), Slots(2)), {})],
    ),
    "mutation": (lambda: changed, lambda: [((r(3), [1] * n), {}) for n in range(3)]),
    "sgd": (lambda: optimizer(torch.optim.SGD), lambda: each(1.0, 1.0, 2.0)),
    "adam": (lambda: optimizer(torch.optim.Adam), lambda: each(1.0, 1.0, 2.0)),
}


def torchs_own(function, calls):
    counters.clear()
    ran = [0, 0]

    def backend(gm, _):
        ops = sum(node.op.startswith("call") for node in gm.graph.nodes)

        def run(*args):
            ran[0] += 1
            ran[1] += ops
            return gm.forward(*args)

        return run

    compiled, rows = torch.compile(function, backend=backend), []
    for args, kwargs in calls:
        compiled(*args, **kwargs)
        stats = counters["stats"]
        rows.append((stats["calls_captured"], stats["unique_graphs"], *ran))
    return rows


def fresh(name):
    make, calls = KINDS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    random.seed(0)
    return copy.deepcopy(make()), calls()


@pytest.fixture(scope="module", params=KINDS)
def seen(request):
    expected = torchs_own(*fresh(request.param))
    function, calls = fresh(request.param)
    return dynprobe.explain(function, calls), expected


def test_counters_are_torchs(seen):
    report, expected = seen
    graphs = ops = 0
    mine = []
    for call in report.calls:
        graphs, ops = graphs + call.graph_runs, ops + call.ops_run
        mine.append((call.calls_captured, call.unique_graphs, graphs, ops))
    assert mine == expected


def test_every_miss_has_its_reason(seen):
    report, _ = seen
    for recompile in report.recompiles:
        for against in recompile.against:
            assert against.failed, against.torch_says
            assert against.failed[0].first, against.torch_says
            assert against.note is None


def test_nothing_is_unknown(seen):
    assert seen[0].unknown == ()


def test_names_are_not_dynamos(seen):
    report, _ = seen
    guards = [g for f in report.frames for e in f.entries for g in e.guards]
    rows = [row for r in report.recompiles for a in r.against for row in a.failed]
    for said in [*guards, *rows]:
        for internal in ("___", "_modules[", "_parameters[", "__import", "L['", "G['"):
            assert internal not in said.source


def test_the_report_is_read_back_whole(seen):
    report, _ = seen
    assert dynprobe.Report.model_validate_json(report.model_dump_json()) == report
