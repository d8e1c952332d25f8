"""Which rule tells a break: by its GB id or its kind, the user's line, and what torch explains."""

from __future__ import annotations

from typing import Any

import pytest

from dynprobe.diagnose.breaks import break_findings
from dynprobe.diagnose.rules import BREAK_RULES, GIVEN_UP_RULES
from dynprobe.diagnose.rules.sites import callee
from dynprobe.report import GraphBreak, Line

BUILTIN = "Failed to trace builtin operator"
SKIPPED = "Attempted to call function marked as skipped"
METHOD = "Unsupported method call"
BRANCH = "Data-dependent branching"
NUMBER = "Data dependent operator"
ITEM = "Unsupported Tensor.item() call with capture_scalar_outputs=False"


def site(kind: str, code: str = "y = f(x)", explanation: str = "", **more: Any) -> GraphBreak:
    known: dict[str, Any] = {
        "index": 0, "file": "model.py", "line": 7, "function": "f", "gb_id": None,
        "effect": "split", "at_capture": 1, "crossed": 1, "hints": (),
    }  # fmt: skip
    return GraphBreak(kind=kind, code=code, explanation=explanation, **known | more)


def told(place: GraphBreak) -> str:
    return next(rule.id for rule in BREAK_RULES if rule.matches(place))


@pytest.mark.parametrize(
    ("kind", "code", "explanation", "rule"),
    [
        (BRANCH, "if y.sum() > 0:", "", "data-dependent-branch"),
        (BRANCH, "elif y.any():", "", "data-dependent-branch"),
        (BRANCH, "while x.sum() < 10:", "", "data-dependent-loop"),
        (BRANCH, "assert (y > 0).all(), f'{y}'", "", "data-dependent-assert"),
        (BRANCH, "assertion = y or x", "", "data-dependent-branch"),
        (BRANCH, "if y.any(): raise ValueError", "", "data-dependent-raise"),
        (ITEM, "n = x.sum().item()", "", "item-call"),
        (ITEM, "a = x.tolist()", "", "tolist-call"),
        (NUMBER, "a = counts.tolist()", "", "tolist-call"),
        (NUMBER, "torch.equal(x, y)", "Operator `aten.equal.default`", "tensor-to-python"),
        (NUMBER, "x + np.random.rand()", "", "numpy-random"),
        (NUMBER, "x.reshape(int(np.prod(x.shape)))", "", "numpy-number"),
        (BUILTIN, "print(x)", "builtin operator `print` with argument types", "print-call"),
        (BUILTIN, "for i in range(n):", "`range` with types ['Tensor']", "range-of-tensor"),
        (BUILTIN, "for i in range(n):", "`range` with types ['float']", "builtin-call"),
        (BUILTIN, "s = str(x)", "builtin operator `str` with", "tensor-text"),
        (BUILTIN, "f = open(p)", "builtin operator `open` with", "builtin-call"),
        (SKIPPED, "t = time.time()", "trace the builtin `time.time.` This", "clock-read"),
        (SKIPPED, "p = os.getpid()", "trace the builtin `posix.getpid.` This", "process-read"),
        (SKIPPED, "warnings.warn('a')", "the Python builtin `_warnings.warn`.", "warning-call"),
        (SKIPPED, "random.random()", "builtin `<unknown module>.Random.random.`", "python-random"),
        (SKIPPED, "random.choice(a)", "the function `Random.choice` in file", "python-random"),
        (SKIPPED, "torch.manual_seed(0)", "the function `manual_seed` in file", "seed-call"),
        (SKIPPED, "bisect.bisect(a, 1)", "the builtin `_bisect.bisect_right.`", "builtin-function"),
        (SKIPPED, "import_module('a')", "the function `import_module` in file", "skipped-function"),
        (METHOD, "datetime.datetime.now()", "method `now` of class `type`", "clock-read"),
        (METHOD, "sys.stdout.write(s)", "method `write` of class `TextIOWrapper`", "stream-write"),
        (METHOD, "store.write(x)", "method `write` of class `Store`", "unsupported-method"),
        (METHOD, "LOCK.acquire()", "method `acquire` of class `lock`", "unsupported-method"),
        ("Unsupported context manager", "with LOCK:", "enter a `lock` context", "context-manager"),
        ("Unsupported context manager", "with d:", "enter a `device` context", "device-context"),
        ("Unsupported python_type() call", "logging.info('a')", "", "logging-call"),
        ("No such kind in any torch", "y = f(x)", "", "graph-break"),
    ],
)  # fmt: skip
def test_the_rule_of_a_place(kind, code, explanation, rule):
    assert told(site(kind, code, explanation)) == rule


@pytest.mark.parametrize(
    ("kind", "code", "rule"),
    [
        ("Logger not supported for non-export cases", "LOG.info('a')", "logging-call"),
        ("Can't find numpy function <function interp at 0x7f> in torch", "", "numpy-function"),
        ("STORE_ATTR-caused graph break", "y.data = y * 2", "data-assignment"),
        ("STORE_ATTR-caused graph break", "y.database = 2", "graph-break"),
        ("copy.deepcopy()", "copy.deepcopy(x)", "deepcopy-tensor"),
    ],
)  # fmt: skip
def test_what_torch_2_9_calls_a_kind(kind, code, rule):
    assert told(site(kind, code)) == rule


def test_a_raise_on_the_next_line_is_part_of_the_branch():
    lines = (
        Line(file="model.py", line=7, text="if y.isnan().any():"),
        Line(file="model.py", line=8, text="raise ValueError"),
    )
    assert told(site(BRANCH, "if y.isnan().any():", context=lines)) == "data-dependent-raise"
    farther = (lines[0], lines[1].model_copy(update={"line": 9}))
    assert told(site(BRANCH, "if y.isnan().any():", context=farther)) == "data-dependent-branch"


def test_the_optimizer_is_told_by_where_its_break_lies():
    asked = "Call to `torch._dynamo.graph_break()`"
    near = Line(file="train.py", line=9, function="step", text="optimizer.step()")
    assert told(site(asked, "torch._dynamo.graph_break()")) == "explicit-break"
    inside = site(asked, file="/lib/torch/optim/optimizer.py", near=near)
    assert told(inside) == "optimizer-step"


def test_the_optimizer_is_told_by_the_method_that_torch_does_not_trace():
    """A scheduler wraps `step`, and torch names the class."""
    skipped = "Attempted to call function marked as skipped"
    said = "marked that the function `Adam.step` in file `{}` should not be traced."
    assert told(site(skipped, explanation=said.format("/torch/optim/lr_scheduler.py"))) == (
        "optimizer-step"
    )
    assert told(site(skipped, explanation=said.format("/mine/adam.py"))) == "skipped-function"


def test_what_is_called_is_named_without_the_function_around_it():
    said = "Skip calling function `<function outer.<locals>.helper at 0x7f>`."
    assert callee(site("Skip calling", explanation=said)) == "helper"


@pytest.mark.parametrize("inside", ["loop", "with", "try", "generator"])
def test_each_place_that_dynamo_cannot_resume_in_has_its_rule(inside):
    place = site(BUILTIN, "print(x)", effect="skip_frame", inside=inside)
    assert [rule.id for rule in GIVEN_UP_RULES if rule.matches(place)] == [f"break-in-{inside}"]


@pytest.mark.parametrize("inside", ["try", "generator"])
def test_what_is_given_up_wherever_it_stands_is_told_by_its_own_rule(inside):
    for gb_id in ("GB0003", "GB0069"):
        place = site("of another torch", gb_id=gb_id, effect="skip_frame", inside=inside)
        assert not any(rule.matches(place) for rule in GIVEN_UP_RULES)


@pytest.mark.parametrize(
    ("explanation", "name"),
    [
        ("Dynamo does not know how to trace the builtin `time.time.` This function", "time.time"),
        ("how to trace the builtin `<unknown module>.Random.random.` This", "Random.random"),
        ("Can't find numpy numpy function <cyfunction default_rng at 0x7f>", "default_rng"),
        ("Operator `aten.nonzero.default`'s output shape depends", "nonzero"),
        ("Operator `aten.repeat_interleave.Tensor`'s output shape", "repeat_interleave"),
        ("Dynamo does not know how to trace method `now` of class `type`", "now"),
        ("Operator `aten._local_scalar_dense.default` has a non-Tensor output", ""),
        ("Generators cannot be compiled directly with `torch.compile`.", ""),
        ("Dynamo does not support this.", ""),
        ("", ""),
    ],
)
def test_what_is_called(explanation, name):
    assert callee(site(SKIPPED, explanation=explanation)) == name


def test_what_is_called_stands_in_the_message_where_the_kind_leaves_it_out(canonical):
    places = (
        site(SKIPPED, "time.time()", "trace the builtin `time.time.` This", index=0),
        site("copy.deepcopy()", "copy.deepcopy(x)", "does not support `copy.deepcopy`", index=1),
    )
    found = list(break_findings(canonical.model_copy(update={"graph_breaks": places})))
    assert [finding.message for finding in found] == [
        "graph break: Attempted to call function marked as skipped (time.time), crossed 1×",
        "graph break: copy.deepcopy(), crossed 1×",
    ]
    assert (
        found[0].advice == "call time.time before f is called, and pass the result as an argument"
    )
