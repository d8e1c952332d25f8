"""What a rule is.

A rule's page (`docs/rules/`) is made from it. Each `Fix` is proven: the rule's file in
`examples/rules/` has a function that shows the finding, and for each fix the same after it; a
test runs both on real torch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from dynprobe.diagnose.causes import Cause
from dynprobe.report import Finding, GraphBreak, Report

MARKS = {
    "marks": "torch._dynamo.mark_dynamic({name}, {dim})",
    "unbacked": "torch._dynamo.decorators.mark_unbacked({name}, {dim})",
}
"""Words that stand for as many calls as there are sizes that changed together."""


@dataclass(frozen=True, kw_only=True)
class Fix:
    """Something to do. `key` names it in the rule's example. `text` is one sentence without a
    full stop, in which `{source}` and the like stand for the case's own words: see
    `recompiles.words` and `breaks.words`. `since` is the first torch it works on."""

    key: str
    text: str
    since: tuple[int, int] = (2, 9)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """`id` as users write it; `title` a noun phrase or short sentence, `why` paragraphs of
    Markdown for the rule's page: what Dynamo does, and how the finding shows."""

    id: str
    title: str
    why: str
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CauseRule(Rule):
    """Of a recompile. Of all rules that match a cause, the first in the list tells it."""

    matches: Callable[[Cause], bool]


@dataclass(frozen=True, kw_only=True)
class BreakRule(Rule):
    """Of a graph break. Of all rules that match a place, the first in the list tells it."""

    matches: Callable[[GraphBreak], bool]


@dataclass(frozen=True, kw_only=True)
class ReportRule(Rule):
    """Of a whole report. `find` yields findings whose `rule` is `id`; `advised` makes their
    advice."""

    find: Callable[[ReportRule, Report], Iterator[Finding]]


def advised(rule: Rule, report: Report, **words: str) -> str:
    """The rule's fixes that the report's torch has, one a line."""
    version = torch_version(report)
    said = [fix.text.format(**words) for fix in rule.fixes if version >= fix.since]
    return "\n".join(said).removeprefix("or ")  # where the torch lacks what it would follow


def torch_version(report: Report) -> tuple[int, int]:
    """(2, 13) of `2.13.0+cpu`; of an unknown version one that is newer than any."""
    numbers = [
        int("".join(takewhile(str.isdigit, part)))
        for part in (report.environment.torch or "").split(".")[:2]
        if re.match(r"\d", part)
    ]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (99, 0)
