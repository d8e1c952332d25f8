"""What a cause is about: what holds the value, and what the user's line needs it for."""

from __future__ import annotations

import pytest

from dynprobe.diagnose.causes import Cause
from dynprobe.diagnose.rules import CAUSE_RULES
from dynprobe.diagnose.rules.held import branches, is_held, on_class, shapes_the_graph
from dynprobe.report import FailedGuard


def cause(source, expected, actual, *, symbolic=False, **row):
    known = {"kind": "value", "root": "argument", "type": "int", **row}
    failed = FailedGuard(source=source, expected=expected, actual=actual, **known)
    return Cause(
        function="f", file="f.py", line=1, rows=(failed,), calls=(1,), fallbacks=(),
        symbolic=symbolic,
    )  # fmt: skip


def rule_of(told):
    return next(rule.id for rule in CAUSE_RULES if rule.matches(told))


@pytest.mark.parametrize(
    ("source", "row", "held"),
    [
        ("n", {}, False),
        ("x", {"holder": "tuple"}, False),  # a parameter that reaches the frame in *args
        ("self.n", {"holder": "module"}, True),
        ("d['n']", {"holder": "dict"}, True),
        ("global N", {"root": "global"}, True),
        ("closure n", {"root": "closure"}, True),
        ("f closure 0", {"holder": "object"}, True),
        ("type(self).n", {}, True),
        ("self.param_groups[0]['lr']", {"holder": "dict"}, False),  # an optimizer's
    ],
)
def test_is_held(source, row, held):
    assert is_held(cause(source, "1", "2", **row)) is held


@pytest.mark.parametrize(
    ("code", "branch", "needed"),
    [
        ("return x * self.n", False, False),
        ("if self.n < 3:", True, False),
        ("y = x if self.n else -x", True, False),
        ("for i in range(self.n):", False, True),
        ("past = cache[self.n]", False, True),
        ("past = cache[0] * self.n", False, False),
        ("total = self.nn + x[self.m]", False, False),
        (None, False, False),
    ],
)
def test_what_the_line_needs_the_number_for(code, branch, needed):
    told = cause("self.n", "1", "2", holder="module", code=code)
    assert branches(told) is branch
    assert shapes_the_graph(told) is needed


def test_an_item_is_not_taken_for_an_index():
    assert not shapes_the_graph(cause("sizes[0]", "1", "2", holder="list", code="x * sizes[0]"))


def test_a_class_attribute_is_told_however_it_is_read():
    assert on_class(cause("Net.step", "1", "2", holder="class"))
    assert on_class(cause("type(self).step", "1", "2"))
    assert not on_class(cause("self.step", "1", "2", holder="module"))


@pytest.mark.parametrize(
    ("source", "was", "now", "row", "rule"),
    [
        ("self.n", "1", "2", {"holder": "module"}, "module-int"),
        ("self.n", "1", "2", {"holder": "module", "code": "if self.n:"}, "module-int-branch"),
        ("self.n", "1", "2", {"holder": "module", "code": "xs[self.n]"}, "held-constant"),
        ("layer.n", "1", "2", {"holder": "module", "same_holder": False}, "layer-index"),
        ("self.cfg.n", "1", "2", {"holder": "object", "symbolic": True}, "held-int"),
        ("self.cfg.n", "1", "2", {"holder": "object", "symbolic": False}, "module-int"),
        ("self.n", "0.5", "0.25", {"holder": "module"}, "held-float"),
        ("self.n", "≤ 2", "3", {"holder": "module", "symbolic": True}, None),
        ("global N", "1", "2", {"root": "global"}, "global-int"),
        ("global N", "0.5", "1.5", {"root": "global"}, "held-float"),
        ("self.flag", "True", "False", {"holder": "module"}, "held-constant"),
        ("self.training", "True", "False", {"holder": "module"}, "training-flag"),
        ("b.mask", "None", "f32[3]", {"holder": "object"}, "optional-attribute"),
        ("s.stop", "int", "NoneType", {"holder": "object", "kind": "type"}, "held-constant"),
        ("c.n", "1", "2.5", {"holder": "object"}, "held-type"),
        ("c.n", "list", "tuple", {"holder": "object", "kind": "type"}, "held-type"),
        ("b.k", "there", "missing", {"holder": "object", "kind": "attribute"}, "attribute-present"),
        (
            "l.bias",
            "Parameter",
            "NoneType",
            {"holder": "module", "kind": "type", "same_holder": False},
            "layer-parameters",
        ),
        ("f", "a function", "partial", {"kind": "type"}, "function-changed"),
        ("b", "Image", "Audio", {"kind": "type"}, "object-type"),
        ("len(xs)", "1", "2", {"kind": "length", "type": "list"}, "list-length"),
        ("len(d)", "1", "2", {"kind": "length", "type": "dict"}, "dict-keys"),
        ("len(self.seen)", "1", "2", {"kind": "length", "holder": "module"}, "container-growth"),
        ("len(self.layers._modules)", "1", "2", {"kind": "length"}, "submodules-changed"),
    ],
)
def test_the_rule_that_tells_it(source, was, now, row, rule):
    told = rule_of(cause(source, was, now, **row))
    if rule is None:  # a number that is a symbol: another family's
        assert told not in ("module-int", "held-int", "held-constant")
    else:
        assert told == rule
