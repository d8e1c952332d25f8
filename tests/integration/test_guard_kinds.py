"""One small function for each kind of guard: what failed, what it wants and what it is now.

What is wanted and what is are known by hand. Which guard is first is torch's own word, from its log
of recompiles in a run without dynprobe."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import gc
import itertools
import logging
import math
import re
import types
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from dynprobe import Call, explain
from dynprobe.report import Against, Report


def r(*shape: int) -> torch.Tensor:
    return torch.ones(*shape)


def each(function: Any, *values: Any) -> Any:
    """Two calls, of x alone or of x and one more."""
    return function, [Call(v if isinstance(v, tuple) else (v,)) for v in values]


def other(function: Any, first: Any, second: Any) -> Any:
    """The same x, another second argument."""
    return each(function, (r(3), first), (r(3), second))


def then(function: Any, change: Any, *args: Any) -> Any:
    """The same call again after `change`."""
    args = args or (r(3),)
    return function, [Call(args), Call(args, before=change)]


def under(function: Any, around: Any, *args: Any, first: Any = None) -> Any:
    args = args or (r(3),)
    return function, [Call(args, around=first), Call(args, around=around)]


def plus(x):
    return x.sin() + 1


def product(x):
    return x @ x


class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Holder:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)

    def scaled(self, x):
        return x * self.k


class Twin(Holder):
    pass


@dataclasses.dataclass
class Config:
    n: int = 1


Pair = collections.namedtuple("Pair", "a b")


class MyInt(int):
    pass


class Sub(torch.Tensor):
    pass


class Wrapped(torch.Tensor):
    """A wrapper subclass whose metadata is a tag."""

    @staticmethod
    def __new__(cls, inner, tag):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner, tag):
        self.inner, self.tag = inner, tag

    def __tensor_flatten__(self):
        return ["inner"], self.tag

    @staticmethod
    def __tensor_unflatten__(inner, tag, size, stride):
        return Wrapped(inner["inner"], tag)

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs):
        tree = torch.utils._pytree
        return func(*tree.tree_map_only(Wrapped, lambda t: t.inner, args), **(kwargs or {}))


@contextlib.contextmanager
def setting(get: Any, put: Any, value: Any) -> Iterator[None]:
    before = get()
    put(value)
    try:
        yield
    finally:
        put(before)


def holding(get: Any, put: Any, value: Any) -> Any:
    return functools.partial(setting, get, put, value)


def times(k):
    def inner(x):
        return x * k

    return inner


SCALE = 2


def of_global(x):
    return x * SCALE


def global_that_changes():
    global SCALE
    SCALE = 2

    def change():
        global SCALE
        SCALE = 5

    return then(of_global, change)


def own_closure():
    n = 2

    def f(x):
        return x * n

    def change():
        nonlocal n
        n = 7

    return then(f, change)


def default_argument():
    def inner(x, k=2):
        return x * k

    def change():
        inner.__defaults__ = (3,)

    return then(lambda x: inner(x), change)


def of_weakref():
    kept = [Holder(k=1)]
    seen = [weakref.ref(kept[0])]

    def f(x):
        value = seen[0]()
        return x * 2 if value is None else x + value.k

    return then(f, kept.clear)


def class_that_goes():
    box = [type("A", (), {"k": 1})]

    def change():
        box[0] = type("B", (), {"k": 2})
        gc.collect()

    return then(lambda x: x + box[0].k, change)


def marked(mark: Any) -> torch.Tensor:
    tensor = r(4)
    mark(tensor, 0)
    return tensor


def inference_tensor() -> torch.Tensor:
    with torch.inference_mode():
        return r(3)


def with_grad() -> torch.Tensor:
    tensor = r(3).requires_grad_()
    tensor.grad = r(3)
    return tensor


def hooks():
    pack, unpack = (torch.fx.symbolic_trace(torch.nn.Identity()) for _ in range(2))
    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def added_in_place(x, y):
    x.add_(1)
    return x + y.sum()


def views(*offsets: int) -> tuple[torch.Tensor, ...]:
    base = r(8)
    return tuple(base[at : at + 4] for at in offsets)


def pairs(x, d):
    for name, value in d.items():
        x = x * len(name) + value
    return x


def same_twice(value: Any) -> tuple[Any, Any, Any]:
    return (r(3), value, value)


class Counts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


AUTOCAST = functools.partial(torch.autocast, "cpu")
DTYPE = holding(torch.get_default_dtype, torch.set_default_dtype, torch.float64)
threads = functools.partial(holding, torch.get_num_threads, torch.set_num_threads)
DETERMINISTIC = holding(
    torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms, True
)
NO_CACHE = holding(torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled, False)

# kind → how it is made, and the first failed guard: kind, source, wanted, now, root, holder
KINDS: dict[str, tuple[Any, tuple[str, str, str, str, str, str | None]]] = {
    "size": (lambda: each(plus, r(4, 3), r(5, 3)),
             ("size", "x.shape[0]", "4", "5", "argument", None)),
    "stride": (lambda: each(plus, r(4, 3), r(3, 4).t()),
               ("stride", "x.stride()[0]", "3", "1", "argument", None)),
    "dtype": (lambda: each(plus, r(3), r(3).double()),
              ("dtype", "x.dtype", "f32", "f64", "argument", None)),
    "device": (lambda: each(plus, r(3), r(3).to("meta")),
               ("device", "x.device", "cpu", "meta", "argument", None)),
    "requires_grad": (lambda: each(plus, r(3), r(3).requires_grad_()),
                      ("requires_grad", "x.requires_grad", "False", "True", "argument", None)),
    "rank": (lambda: each(plus, r(3), r(3, 3)),
             ("rank", "x", "1 dimension", "2 dimensions", "argument", None)),
    "layout": (lambda: each(lambda x: x * 2, r(3, 3), r(3, 3).to_mkldnn()),
               ("layout", "x.layout", "strided", "mkldnn", "argument", None)),
    "conjugate": (lambda: each(lambda x: x * 2, r(3) + 0j, (r(3) + 0j).conj()),
                  ("tensor", "x", "not conjugated lazily", "conjugated lazily", "argument", None)),
    "tensor class": (lambda: each(plus, r(3), r(3).as_subclass(Sub)),
                     ("type", "x", "Tensor", "Sub", "argument", None)),
    "parameter": (lambda: each(plus, r(3).requires_grad_(), nn.Parameter(r(3))),
                  ("type", "x", "Tensor", "Parameter", "argument", None)),
    "metadata": (lambda: each(plus, Wrapped(r(3), "a"), Wrapped(r(3), "b")),
                 ("tensor", "x", "the metadata it had", "other metadata", "argument", None)),
    "inference tensor": (
        lambda: each(plus, r(3), inference_tensor()),
        ("tensor", "x", "made outside inference mode", "made under inference mode",
         "argument", None)),
    "grad of a tensor": (
        lambda: each(lambda x: x * 2 if x.grad is None else x + x.grad,
                     r(3).requires_grad_(), with_grad()),
        ("value", "x.grad", "None", "f32[3]", "argument", "tensor")),
    "str": (lambda: other(lambda x, m: x + 1 if m == "a == b" else x * 2, "a == b", "c is d"),
            ("value", "m", "'a == b'", "'c is d'", "argument", None)),
    "bool": (lambda: other(lambda x, m: x + 1 if m else x * 2, True, False),
             ("value", "m", "True", "False", "argument", None)),
    "None": (lambda: other(lambda x, m: x * 2 if m is None else x + m, None, r(3)),
             ("value", "m", "None", "f32[3]", "argument", None)),
    "int or float": (lambda: other(lambda x, m: x + m, 2, 2.5),
                     ("value", "m", "2", "2.5", "argument", None)),
    "nan": (lambda: other(lambda x, m: x * m, math.nan, 2.0),
            ("value", "m", "nan", "2.0", "argument", None)),
    "complex": (lambda: other(lambda x, m: x * m, 1 + 2j, 2 + 2j),
                ("value", "m", "(1+2j)", "(2+2j)", "argument", None)),
    "complex nan": (lambda: other(lambda x, m: x * m, complex(math.nan, 1), 2 + 2j),
                    ("value", "m", "nan", "(2+2j)", "argument", None)),
    "int subclass": (lambda: other(lambda x, m: x * m, MyInt(2), MyInt(3)),
                     ("value", "m", "2", "3", "argument", None)),
    "torch.dtype": (lambda: other(lambda x, d: x.to(d), torch.float64, torch.float16),
                    ("value", "d", "torch.float64", "torch.float16", "argument", None)),
    "torch.device": (
        lambda: other(lambda x, d: x.to(d), torch.device("cpu"), torch.device("meta")),
        ("value", "d", "cpu", "meta", "argument", None)),
    "slice": (lambda: other(lambda x, s: x[s], slice(0, 2), slice(0, 1)),
              ("value", "s.stop", "2", "1", "argument", "object")),
    "item of a list": (lambda: other(lambda x, m: x * m[0], [1], [3]),
                       ("value", "m[0]", "1", "3", "argument", "list")),
    "dataclass": (lambda: other(lambda x, c: x * c.n, Config(1), Config(2)),
                  ("value", "c.n", "1", "2", "argument", "object")),
    "namedtuple": (lambda: other(lambda x, c: x * c.a, Pair(1, 2), Pair(3, 2)),
                   ("value", "c.a", "1", "3", "argument", "tuple")),
    "bound method": (lambda: other(lambda x, f: f(x), Holder(k=1).scaled, Holder(k=2).scaled),
                     ("value", "f.__self__.k", "1", "2", "argument", "object")),
    "cell of a function": (lambda: other(lambda x, f: f(x), times(2), times(3)),
                           ("value", "f closure k", "2", "3", "argument", "object")),
    "own closure": (own_closure, ("value", "closure n", "2", "7", "closure", None)),
    "default argument": (
        default_argument,
        ("value", "closure inner.__defaults__[0]", "2", "3", "closure", "object")),
    "global": (global_that_changes,
               ("value", "global SCALE", "2", "5", "global", None)),
    "range iterator": (
        lambda: other(lambda x, i: x + sum(i), iter(range(3)), iter(range(1, 4))),
        ("value", "i", "range(0, 3, 1)", "range(1, 4, 1)", "argument", None)),
    "count iterator": (
        lambda: other(lambda x, i: x + next(i), itertools.count(1), itertools.count(5)),
        ("value", "i", "(1, 1)", "(5, 1)", "argument", None)),
    "tuple iterator": (lambda: other(lambda x, i: x + sum(i), iter((1, 2)), iter((1, 2, 3))),
                       ("length", "len(i)", "2", "3", "argument", None)),
    "length": (lambda: other(lambda x, m: x + len(m), [1, 2], [1, 2, 3]),
               ("length", "len(m)", "2", "3", "argument", None)),
    "empty": (lambda: other(lambda x, m: x + len(m), [], [1, 2, 3]),
              ("length", "len(m)", "0", "3", "argument", None)),
    "length of a dict": (lambda: other(lambda x, m: x + len(m), {"a": 1}, {"a": 1, "b": 2}),
                         ("length", "len(m)", "1", "2", "argument", None)),
    "type": (lambda: other(lambda x, h: x + h.k, Holder(k=1), Twin(k=1)),
             ("type", "h", "Holder", "Twin", "argument", None)),
    "builtin function": (lambda: other(lambda x, f: f(x), torch.sin, torch.cos),
                         ("identity", "f", "function sin", "function cos",
                          "argument", None)),
    "function": (lambda: other(lambda x, f: f(x), plus, product),
                 ("identity", "f", "function plus", "function product", "argument", None)),
    "class": (lambda: other(lambda x, c: x + c(k=1).k, Holder, Twin),
              ("identity", "c", "class Holder", "class Twin", "argument", None)),
    "enum": (lambda: other(lambda x, c: x * c.value, Color.RED, Color.BLUE),
             ("identity", "c", "Color.RED", "Color.BLUE", "argument", None)),
    "key gone": (
        lambda: other(lambda x, d: x + d["a"] if "a" in d else x * 2, {"a": 1}, {"b": 1}),
        ("dict_keys", "d['a']", "there", "missing", "argument", "dict")),
    "key new": (
        lambda: other(lambda x, d: x + d["a"] if "a" in d else x * 2, {"b": 1}, {"a": 1}),
        ("dict_keys", "d['a']", "missing", "there", "argument", "dict")),
    "order of keys": (lambda: other(pairs, {"a": 1, "bb": 2}, {"bb": 2, "a": 1}),
                      ("dict_keys", "list(d)[0]", "'a'", "'bb'", "argument", "dict")),
    "mapping proxy": (
        lambda: other(lambda x, d: x + d["a"], types.MappingProxyType({"a": 1}),
                      types.MappingProxyType({"b": 1, "a": 1})),
        ("dict_keys", "d", "['a']", "['b', 'a']", "argument", None)),
    "set": (lambda: other(lambda x, s: x + 1 if "a" in s else x * 2, {"a"}, {"c"}),
            ("dict_keys", "s", "has 'a'", "no 'a'", "argument", None)),
    "attribute gone": (
        lambda: other(lambda x, h: x + h.k if hasattr(h, "k") else x * 2, Holder(k=1), Holder()),
        ("attribute", "h.k", "there", "missing", "argument", "object")),
    "attribute new": (
        lambda: other(lambda x, h: x + h.k if hasattr(h, "k") else x * 2, Holder(), Holder(k=1)),
        ("attribute", "h.k", "missing", "there", "argument", "object")),
    "marked": (lambda: each(plus, r(4), marked(torch._dynamo.mark_dynamic)),
               ("attribute", "x", "no dimension marked dynamic", "dimension 0 marked dynamic",
                "argument", None)),
    "unbacked": (lambda: each(plus, r(4), marked(torch._dynamo.decorators.mark_unbacked)),
                 ("attribute", "x", "no dimension marked unbacked", "dimension 0 marked unbacked",
                  "argument", None)),
    "grad mode": (lambda: under(plus, torch.no_grad),
                  ("grad_mode", "grad mode", "on", "off", "process", None)),
    "inference mode": (lambda: under(plus, torch.inference_mode, first=torch.no_grad),
                       ("grad_mode", "inference mode", "off", "on", "process", None)),
    "autocast": (lambda: under(product, AUTOCAST, r(3, 3)),
                 ("autocast", "autocast", "off", "on", "process", None)),
    "autocast dtype": (
        lambda: under(product, functools.partial(AUTOCAST, dtype=torch.float16), r(3, 3),
                      first=functools.partial(AUTOCAST, dtype=torch.bfloat16)),
        ("autocast", "autocast dtype", "bf16", "f16", "process", None)),
    "autocast cache": (lambda: under(product, NO_CACHE, r(3, 3)),
                       ("autocast", "autocast cache", "on", "off", "process", None)),
    "default dtype": (lambda: under(plus, DTYPE),
                      ("global_state", "default dtype", "f32", "f64", "process", None)),
    "deterministic": (
        lambda: under(plus, DETERMINISTIC),
        ("global_state", "deterministic algorithms", "off", "on", "process", None)),
    "threads": (
        lambda: under(plus, threads(3), first=threads(2)),
        ("global_state", "number of threads", "2", "3", "process", None)),
    "saved tensors hooks": (
        lambda: under(plus, hooks, r(3).requires_grad_()),
        ("global_state", "saved tensors hooks", "none", "set", "process", None)),
    "function mode": (lambda: under(plus, Mode),
                      ("function_mode", "torch function modes", "none", "Mode",
                       "process", None)),
    "function mode gone": (lambda: under(plus, None, first=Mode),
                           ("function_mode", "torch function modes", "Mode", "none",
                            "process", None)),
    "torch function off": (lambda: under(plus, torch._C.DisableTorchFunctionSubclass),
                           ("function_mode", "torch function", "on", "off", "process", None)),
    "default device": (lambda: under(plus, lambda: torch.device("cpu")),
                       ("default_device", "default device", "none", "cpu", "process", None)),
    "default device, another": (
        lambda: under(lambda x: x + torch.ones(2).numel(), lambda: torch.device("meta"),
                      first=lambda: torch.device("cpu")),
        ("default_device", "default device", "cpu", "meta", "process", None)),
    "aliasing": (lambda: (lambda x, y: x + y, [Call((r(3), r(3))), Call((r(3),) * 2)]),
                 ("aliasing", "y", "another tensor", "the same as x", "argument", None)),
    "aliasing gone": (lambda: (lambda x, y: x + y, [Call((r(3),) * 2), Call((r(3), r(3)))]),
                      ("aliasing", "x", "the same as y", "another object", "argument", None)),
    "the same object": (
        lambda: (lambda x, a, b: x + a.k + b.k,
                 [Call(same_twice(Holder(k=1))), Call((r(3), Holder(k=1), Holder(k=1)))]),
        ("aliasing", "a", "the same as b", "another object", "argument", None)),
    "weak reference": (of_weakref,
                       ("lifetime", "closure seen[0]()", "Holder", "gone", "closure", None)),
    "class that goes": (
        class_that_goes,
        ("lifetime", "closure box[0]", "the object it was captured with", "that object is gone",
         "closure", None)),
    "attribute of a module": (lambda: each(Counts(), r(3), r(3)),
                              ("value", "self.calls", "0", "1", "argument", "module")),
}  # fmt: skip


@contextlib.contextmanager
def torchs_log() -> Iterator[list[str]]:
    """What torch's own log says of recompiles while this is held."""
    lines: list[str] = []
    logger = logging.getLogger("torch._dynamo.guards.__recompiles")

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler = Lines()
    torch._logging.set_logs(recompiles=True)
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        torch._logging.set_logs()


def run_plainly(name: str) -> list[str]:
    torch._dynamo.reset()
    function, calls = KINDS[name][0]()
    compiled = torch.compile(function, backend="eager")
    with torchs_log() as lines:
        for call in calls:
            if call.before is not None:
                call.before()
            with call.around() if call.around else contextlib.nullcontext():
                compiled(*call.args)
    torch._dynamo.reset()
    return lines


def as_logged(text: str) -> str:
    """torch's text of a guard as its log writes it: `x` for `L['x']`. Addresses are of a run."""
    code = re.sub(r"L\['(\w+)'\]", r"\1", text.partition("  # ")[0].strip())
    return re.sub(r"\d{7,}", "…", code)


def against(report: Report) -> Against:
    assert report.unknown == ()
    assert [call.error for call in report.calls if call.error] == []
    (recompile,) = report.recompiles
    (found,) = recompile.against
    return found


@pytest.mark.parametrize("name", KINDS)
def test_a_kind(name):
    make, expected = KINDS[name]
    log = as_logged("\n".join(run_plainly(name)).replace("  # ", " # "))
    function, calls = make()
    found = against(explain(function, calls))
    first = found.failed[0]
    row = (first.kind, first.source, first.expected, first.actual, first.root, first.holder)
    assert row == expected
    assert first.first
    assert found.note is None
    assert len(found.failed) == len({(g.source, g.kind) for g in found.failed})
    # The log names the tensors where torch's check says only that there are two.
    says = as_logged(found.torch_says).partition(" found where")[0]
    assert says in log
