"""What is told of a cache entry that did not match beside the guards that failed: what could not
be asked, whose object a value is read from, since when a frame is given up, and what was tried."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
import torch.autograd.forward_ad as forward_ad
from torch import nn
from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list as entries_of
from torch._functorch.vmap import vmap_increment_nesting

from dynprobe import Call, explain
from dynprobe.observe.dynamo.against import against_entry
from dynprobe.observe.dynamo.failing import Known
from dynprobe.observe.dynamo.holders import kept_holders
from dynprobe.observe.dynamo.places import Places
from dynprobe.observe.dynamo.taps import cache_entries
from dynprobe.observe.dynamo.words import Words
from dynprobe.report import Against, FailedGuard, Report


class Holder:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Twin(Holder):
    pass


class Counts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


class Layer(nn.Module):
    def __init__(self, index: int) -> None:
        super().__init__()
        self.layer_idx = index

    def forward(self, x):
        return x * self.layer_idx


class Layers(nn.Module):
    """Each layer is a frame of its own: the break between them sees to it."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(i + 2) for i in range(12))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            print(end="")
        return x


def ones() -> torch.Tensor:
    return torch.ones(3)


def calls(*values: Any) -> list[Call]:
    return [Call((ones(), value)) for value in values]


def only(report: Report) -> Against:
    assert report.unknown == ()
    (recompile,) = report.recompiles
    return recompile.against[0]


def entry_for(function: Any, *args: Any) -> Any:
    """The only entry of a function that was compiled for these arguments."""
    torch._dynamo.reset()
    torch.compile(function, backend="eager")(*args)
    (entry,) = cache_entries(function.__code__)
    return entry


def compared(function: Any, entry: Any, known: Known | None = None, **f_locals: Any) -> Against:
    words = Words(function.__code__)
    return against_entry(entry, f_locals, None, words, Places(__file__), known or Known())


def rows(found: Against) -> list[tuple[str, str, str, str]]:
    return [(g.kind, g.source, g.expected, g.actual) for g in found.failed]


# What could not be asked


def test_what_hangs_on_a_missing_key_is_not_reached():
    def f(x, c):
        return x + c["a"]["b"].k + c["a"]["b"].j if "b" in c["a"] else x * 2

    found = only(explain(f, calls({"a": {"b": Holder(k=1, j=2)}}, {"a": {}})))
    assert [g.source for g in found.failed] == ["c['a']['b']"]
    assert sorted(found.not_reached) == ["c['a']['b'].j", "c['a']['b'].k"]


def test_what_hangs_on_another_type_is_not_reached_but_where_it_is_there():
    def f(x, h):
        return x * 2 if type(h) is Twin else x + h.k + h.j

    found = only(explain(f, calls(Holder(k=1, j=2), Twin(j=2))))
    assert rows(found)[0] == ("type", "h", "Holder", "Twin")
    assert found.not_reached == ("h.k",)  # h.j is there and holds


def test_nothing_is_out_of_reach_where_all_is_there():
    found = only(explain(lambda x, m: x * m, calls(2, 3)))
    assert found.not_reached == ()


def test_a_guard_that_only_raises_has_no_row():
    """`y._base` is None now, so no condition on its sizes can be asked; torch stops before it."""

    def f(x, y):
        x.add_(1)
        return x + y.sum()

    base = torch.ones(8)
    torch._dynamo.reset()
    report = explain(
        f, [Call((base[:4], base[2:6])), Call((ones().double(), ones()))],
        backend="aot_eager", dynamic=True,
    )  # fmt: skip
    found = only(report)
    assert found.failed[0].source == "x.dtype"
    assert not [row for row in found.failed if "_base" in row.source]


def test_a_guard_that_raises_is_told_where_torch_stops_at_it():
    def f(x, y):
        x.add_(1)
        return x + y.sum()

    base = torch.ones(8)
    twice = [Call((base[:4], base[2:6])), Call((torch.ones(4), torch.ones(4)))]
    found = only(explain(f, twice, backend="aot_eager", dynamic=True))
    assert "NoneType" in found.torch_says
    assert rows(found)[0] == ("type", "x._base", "with .size", "None")
    assert found.failed[0].first


# Inputs that share memory: only a backend that functionalises guards on it


@pytest.mark.parametrize(
    ("before", "after", "wanted", "now"),
    [((0, 2), (0, 4), "with another input", "with none"),
     ((0, 4), (0, 2), "with none", "with another input")],
)  # fmt: skip
def test_inputs_that_are_views_of_one_storage(before, after, wanted, now):
    def f(x, y):
        x.add_(1)
        return x + y.sum()

    def views(offsets):
        base = torch.ones(8)
        return Call(tuple(base[at : at + 4] for at in offsets))

    found = only(explain(f, [views(before), views(after)], backend="aot_eager", dynamic=True))
    assert "check_overlapping" in found.torch_says
    for row, source in zip(found.failed, "xy", strict=False):
        assert (row.kind, row.source) == ("aliasing", source)
        assert (row.expected, row.actual) == (f"shares memory {wanted}", f"shares memory {now}")
    assert found.failed[0].first


# States in which Dynamo compiles nothing: guards of entries made outside them


def test_function_transforms():
    def f(x):
        return torch.vmap(torch.sin)(x)

    entry = entry_for(f, ones())
    with vmap_increment_nesting(3, "error"):
        found = compared(f, entry, x=ones())
    assert rows(found) == [("global_state", "function transforms", "none", "vmap")]
    assert found.failed[0].root == "process"
    assert found.failed[0].first


def test_forward_mode():
    def f(x):
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(forward_ad.make_dual(x, x))[0] * 2

    entry = entry_for(f, ones())
    with forward_ad.dual_level():
        found = compared(f, entry, x=ones())
    assert ("global_state", "forward-mode AD level", "-1", "0") in rows(found)


# Whose object it is


def same(row: FailedGuard) -> tuple[str, str | None, bool | None]:
    return row.source, row.holder, row.same_holder


def test_one_module_whose_attribute_counts():
    report = explain(Counts(), [Call((ones(),))] * 3)
    told = [same(row) for r in report.recompiles for a in r.against for row in a.failed]
    assert told == [("self.calls", "module", True)] * 3


def test_modules_of_one_class():
    report = explain(Layers(), [Call((ones(),))], recompile_limit=20)
    told = [
        same(row) for r in report.recompiles for a in r.against for row in a.failed
        if row.source.endswith("layer_idx")
    ]  # fmt: skip
    assert len(told) == 66  # each of twelve against all before it
    assert set(told) == {("self.layer_idx", "module", False)}


def test_of_a_dict_it_cannot_be_known():
    found = only(explain(lambda x, d: x * d["k"], calls({"k": 2}, {"k": 3})))
    assert same(found.failed[0]) == ("d['k']", "dict", None)


def test_an_object_that_lies_of_itself():
    class Liar(Holder):
        __class__ = property(lambda self: 1 / 0)
        __eq__ = property(lambda self: 1 / 0)
        __hash__ = None

        def __repr__(self):
            raise ValueError

    held = Holder(k=1, liar=Liar())
    change = Call((ones(), held), before=lambda: vars(held).update(k=2))
    found = only(explain(lambda x, h: x * h.k, [Call((ones(), held)), change]))
    assert same(found.failed[0]) == ("h.k", "object", True)


def test_what_is_remembered_keeps_nothing_alive():
    def f(x, h):
        return x * h.k

    held = Holder(k=2)
    entry = entry_for(f, ones(), held)
    kept = kept_holders(entry.manager, {"x": ones(), "h": held})
    assert [ref() for ref in kept.values()] == [held]
    seen = weakref.ref(held)
    del held
    gc.collect()
    assert seen() is None
    found = compared(f, entry, Known(holders=kept), x=ones(), h=Holder(k=3))
    assert found.failed[0].same_holder is not True


# Since when


def test_a_frame_at_its_limit_says_since_when():
    numbers = calls("a", "b", "c", "d")
    report = explain(lambda x, m: x + len(m) if m != "z" else x, numbers, recompile_limit=2)
    (frame,) = report.frames
    assert [call.outcome for call in report.calls] == [
        "capture", "recompile", "fallback", "fallback",
    ]  # fmt: skip
    assert (frame.state, frame.since) == ("limit", 2)


def test_a_frame_that_is_skipped_says_since_when():
    def f(x):
        for _ in range(2):
            torch._dynamo.graph_break()
        return x

    report = explain(f, [Call((ones(),))] * 3)
    (frame,) = report.frames
    assert (frame.state, frame.since) == ("skipped", 0)


def test_a_compiled_frame_has_no_since():
    (frame,) = explain(lambda x: x + 1, [Call((ones(),))] * 2).frames
    assert (frame.state, frame.since) == ("compiled", None)


# Which frame fell back in silence


def longer(x, text):
    return x + len(text)


def larger(x, text):
    return x * len(text)


def both(x, text):
    for f in (longer, larger):
        x = f(x, text)
        torch._dynamo.graph_break()
    return x


def test_frames_of_one_caller_that_fall_back_for_the_grad_mode_are_told_apart():
    made = [Call((ones(), "m" * i)) for i in (1, 2, 3)]
    made += [Call((ones(), "m"), around=torch.no_grad), Call((ones(), "m"))]
    report = explain(both, made, recompile_limit=2)
    told = [
        [
            (run.function, run.outcome, run.attributed)
            for run in call.frames
            if run.function != "both"
        ]
        for call in report.calls[3:]
    ]
    assert told == [
        [("longer", "fallback", True), ("larger", "fallback", True)],
        [("longer", "hit", True), ("larger", "hit", True)],
    ]
    missed = [recompile for recompile in report.recompiles if recompile.call == 3]
    assert [recompile.frame for recompile in missed] == ["longer", "larger"]
    for recompile in missed:
        assert [a.failed[0].source for a in recompile.against] == ["grad mode"] * 2


# A reason that is not found


def test_what_was_tried_is_said_where_no_guard_fails():
    def f(x):
        return x + 1

    entry = entry_for(f, ones())
    found = compared(f, entry, x=ones())
    assert found.failed == ()
    asked = sum(len(n.get_leaf_guards()) for n in nodes(entry.manager.root))
    assert found.note == (
        f"{asked} guards were called, and all hold; "
        "torch's own check passes too: what failed has changed since"
    )


def nodes(node: Any) -> list[Any]:
    return [node, *(below for child in node.get_child_managers() for below in nodes(child))]


def test_a_backend_that_is_another():
    def f(x):
        return x + 1

    torch._dynamo.reset()
    torch.compile(f, backend="eager")(ones())
    torch.compile(f, backend="aot_eager")(ones())
    entries = cache_entries(f.__code__)
    assert len(entries) == len(entries_of(f.__code__)) == 2
    words, places = Words(f.__code__), Places(__file__)
    newest, oldest = entries
    found = against_entry(oldest, {"x": ones()}, newest.backend, words, places, Known())
    (row,) = found.failed
    assert (row.kind, row.root, row.first) == ("backend", "process", True)
    assert (row.expected, row.actual) == ("eager", "aot_eager")


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
