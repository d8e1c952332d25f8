"""Graph breaks where a tensor's values decide which way the code goes."""

from __future__ import annotations

import re

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import has_code, is_kind

_BRANCH = ("GB0170", "GB0035", "Data-dependent branching", "Could not guard on data-dependent")
_RAISE = re.compile(r"\braise\b")


def _branches(site: GraphBreak) -> bool:
    return is_kind(site, *_BRANCH)


def _raises(site: GraphBreak) -> bool:
    """The line, or the next one, is a `raise`."""
    near = site.near or site
    next_lines = (line.text or "" for line in site.context if line.line == near.line + 1)
    own = has_code(site, r"^if\b.*:\s*raise\b")
    return _branches(site) and (own or any(_RAISE.match(text.strip()) for text in next_lines))


def _asserts(site: GraphBreak) -> bool:
    failed = is_kind(site, "GB0034", "Data-dependent assertion failed")
    return failed or (_branches(site) and has_code(site, r"^assert\b"))


DATA_DEPENDENT_ASSERT = BreakRule(
    id="data-dependent-assert",
    title="An assert on a tensor's values",
    why="""\
An `assert` on a tensor is captured as a check in the graph (one that raises `RuntimeError`) where
it has no message, or a message that is a constant text. With a message that is made when it fails
(an f-string) it is a branch on the tensor, and Dynamo breaks the graph there.""",
    fixes=(
        Fix(
            key="message",
            text='give the assert on line {line} a constant message: assert …, "too small"',
        ),
        Fix(key="async", text="or write torch._assert_async(condition, message)"),
    ),
    matches=_asserts,
)
DATA_DEPENDENT_RAISE = BreakRule(
    id="data-dependent-raise",
    title="A check of a tensor's values that raises",
    why="""\
Which way the branch goes is known only when the tensor has been computed. Dynamo ends the graph,
lets Python look, and captures the rest as a graph of its own, all for a branch that is hardly ever
taken. An assertion in the graph does the same check; it raises `RuntimeError`, and on a GPU some
time later.""",
    fixes=(
        Fix(
            key="assert",
            text="where any exception will do: torch._assert_async(condition, message) in place of "
            "the if and raise",
        ),
    ),
    matches=_raises,
)
DATA_DEPENDENT_LOOP = BreakRule(
    id="data-dependent-loop",
    title="A loop that a tensor's values end",
    why="""\
How often the loop runs is known only when its tensors have been computed. Dynamo ends the graph at
the condition; each turn of the loop is then a graph of its own, and Python looks at the tensor
between two of them.""",
    fixes=(
        Fix(
            key="bounded",
            text="where the number of turns has a bound: a for loop of that length whose body is "
            "torch.where(condition, new, old)",
        ),
        Fix(
            key="while_loop",
            text="or torch._higher_order_ops.while_loop.while_loop(condition, body, (x,)), where "
            "the body keeps every shape and dtype",
        ),
    ),
    matches=lambda site: _branches(site) and has_code(site, r"^while\b"),
)
RANGE_OF_TENSOR = BreakRule(
    id="range-of-tensor",
    title="A loop over range() of a tensor",
    why="""\
Dynamo unrolls loops, so it must know how often they run. A tensor's value it does not know: it ends
the graph, and Python makes the `range`.""",
    fixes=(
        Fix(
            key="bounded",
            text="where the number of turns has a bound: a for loop of that length whose body is "
            "torch.where(step < n, new, old)",
        ),
    ),
    matches=lambda site: (
        is_kind(site, "GB0059", "Failed to trace builtin operator")
        and "`range`" in site.explanation
        and "Tensor" in site.explanation
    ),
)
DATA_DEPENDENT_BRANCH = BreakRule(
    id="data-dependent-branch",
    title="A branch on a tensor's values",
    why="""\
Which way the branch goes is known only when the tensor has been computed. Dynamo ends the graph,
lets Python look (on a GPU it waits for it), and captures each side as a graph of its own when it is
first taken.""",
    fixes=(
        Fix(
            key="where",
            text="where both sides are plain tensor expressions: torch.where(condition, a, b), "
            "which computes both",
        ),
        Fix(
            key="cond",
            text="where they are functions of tensors that give the same shapes and dtypes, and "
            "change nothing else: torch.cond(condition, f, g, (x,))",
        ),
    ),
    matches=_branches,
)
CHECK_MESSAGE = BreakRule(
    id="check-message",
    title="The message of torch._check names a value",
    why="""\
The message of `torch._check` is made when the graph is captured. Where its function reads a tensor
or another value that is not a constant, Dynamo ends the graph.""",
    fixes=(
        Fix(key="constant", text='give it a constant text: lambda: "too short"', since=(2, 13)),
    ),
    matches=lambda site: is_kind(
        site,
        *("GB9158", "GB9840", "GB0288"),
        *("Can't convert torch._check", "Can't extract message from torch._check"),
    ),
)
CONTROL_FLOW_BREAK_RULES: tuple[BreakRule, ...] = (
    CHECK_MESSAGE,
    DATA_DEPENDENT_ASSERT,
    DATA_DEPENDENT_LOOP,
    DATA_DEPENDENT_RAISE,
    RANGE_OF_TENSOR,
    DATA_DEPENDENT_BRANCH,
)
