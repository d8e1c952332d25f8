"""A rule's page, in Markdown: `docs/rules/` and `dynprobe rule`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from dynprobe.report import Finding

from .base import MARKS, BreakRule, CauseRule, Fix, ReportRule, Rule

_FAMILIES: tuple[tuple[type[Rule], str], ...] = (
    (ReportRule, "Calls and frames"),
    (CauseRule, "Recompiles"),
    (BreakRule, "Graph breaks"),
)


class _Metavars(dict[str, str]):
    """A place that a case fills is shown as `NAME`."""

    def __missing__(self, key: str) -> str:
        return key.upper()


_METAVARS = _Metavars({word: call.format_map(_Metavars()) for word, call in MARKS.items()})


def page_path(rule_id: str) -> str:
    """Where a rule's page is in dynprobe's repository."""
    return f"docs/rules/{rule_id}.md"


def page(rule: Rule, *, example: str | None = None, finding: Finding | None = None) -> str:
    """`example` is the text of the rule's file in `examples/rules/`, `finding` what dynprobe says
    of it. Ends in a newline."""
    parts = [f"# {rule.id}", f"**{rule.title}.**", rule.why.strip()]
    if rule.fixes:
        parts += ["## What helps", "\n".join(_fixes(rule.fixes, _METAVARS))]
    if example is not None:
        parts += ["## Example", _fenced(example.strip(), "python")]
    if finding is not None:
        parts += ["dynprobe says of `before`:", _fenced(_said(finding))]
        if rule.fixes:
            parts.append("A test runs it before and after each of `FIXES`, on real torch.")
    return "\n\n".join(parts) + "\n"


def _fixes(fixes: Iterable[Fix], words: Mapping[str, str]) -> Iterator[str]:
    for fix in fixes:
        since = "" if fix.since <= (2, 9) else f" (torch {fix.since[0]}.{fix.since[1]} and later)"
        yield f"- `{fix.key}`: {fix.text.format_map(words)}{since}"


def _said(finding: Finding) -> str:
    """As it stands under Findings."""
    advice = [f"  {line}" for line in finding.advice.splitlines()]
    return "\n".join([f"{finding.severity} {finding.rule}  {finding.message}", *advice])


def _fenced(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```"


def index(rules: Iterable[Rule]) -> str:
    """The list of all rules, linked."""
    every = tuple(rules)
    parts = [
        "# Rules",
        "What dynprobe's findings say, and what helps. `dynprobe rule ID` prints a page. Each fix "
        "is proven: `tests/integration/test_rules.py` runs the rule's example before and after it.",
    ]
    for family, title in _FAMILIES:
        rows = [f"| [{r.id}]({r.id}.md) | {r.title} |" for r in every if isinstance(r, family)]
        parts += [f"## {title}", "\n".join(["| rule | |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"
