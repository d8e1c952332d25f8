"""Breaks after which Dynamo cannot go on: they cost the whole frame."""

from __future__ import annotations

from dynprobe.report import GraphBreak

from .base import BreakRule, Fix
from .sites import is_kind


def _says_it_itself(site: GraphBreak) -> bool:
    """A kind that is given up wherever it stands, so that moving it within the frame is no help:
    its own rule tells it."""
    return is_kind(site, "GB0003", "GB0069", "Attempt to trace generator", "Import failure")


BREAK_IN_LOOP = BreakRule(
    id="break-in-loop",
    title="A graph break inside a loop",
    why="""\
After a break Dynamo goes on in a new frame that begins behind it. It makes none that begins in the
middle of a `for` or `while` loop: the whole frame is given up and runs eagerly for good, with all
that it had captured. A break in a function that the loop calls does the same.

Without the break there is nothing to give up. Behind the loop it costs a split and no more.""",
    fixes=(
        Fix(
            key="lift",
            text="lift the break out of the loop: collect there what it needs, and do it behind "
            "the loop",
        ),
    ),
    matches=lambda site: site.inside == "loop",
)
BREAK_IN_WITH = BreakRule(
    id="break-in-with",
    title="A graph break under a context manager",
    why="""\
To go on after a break Dynamo would have to leave the context manager and enter it again. It can
for torch's own (`no_grad`, `autocast`), not for others: the whole frame is given up and runs
eagerly for good.""",
    fixes=(Fix(key="lift", text="move the break before or behind the with block"),),
    matches=lambda site: site.inside == "with",
)
BREAK_IN_TRY = BreakRule(
    id="break-in-try",
    title="A graph break inside try",
    why="""\
After a break Dynamo goes on in a new frame that begins behind it. It makes none that begins inside
`try`: the whole frame is given up and runs eagerly for good.""",
    fixes=(Fix(key="lift", text="move the break before or behind the try block"),),
    matches=lambda site: site.inside == "try" and not _says_it_itself(site),
)
BREAK_IN_GENERATOR = BreakRule(
    id="break-in-generator",
    title="A graph break inside a generator",
    why="""\
A generator is captured with the function that uses it up. With a break in it, it cannot be: the
generator runs eagerly, and so does what uses it up.""",
    fixes=(Fix(key="lift", text="move the break out of the generator, behind what uses it up"),),
    matches=lambda site: site.inside == "generator" and not _says_it_itself(site),
)
GIVEN_UP_RULES: tuple[BreakRule, ...] = (
    BREAK_IN_LOOP,
    BREAK_IN_WITH,
    BREAK_IN_TRY,
    BREAK_IN_GENERATOR,
)
