"""Where a compiled call is not what eager is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynprobe.diagnose.differing import lost, rows, said, unexplained
from dynprobe.diagnose.words import in_words
from dynprobe.report import Finding, Line, Report, Severity

from .base import Fix, ReportRule, advised


def _stale_environment(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for row, calls in rows(report, "environment"):
        yield _finding(
            rule,
            report,
            f"the environment variable {row.what} is {row.now}, and {in_words(calls, 'call')} ran "
            f"with what it was at capture ({row.captured}): nothing guards it",
            calls,
            row.what,
            row.where,
        )


def _late_hook(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for row, calls in rows(report, "hook"):
        module, _, table = row.what.rpartition(": ")
        yield _finding(
            rule,
            report,
            f"{in_words(calls, 'call')} did not heed the {table} of {module}, which is not as it "
            f"was at capture: {row.captured} → {row.now}",
            calls,
            module,
            row.where,
        )


def _memoised(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for row, calls in rows(report, "lru_cache"):
        yield _finding(
            rule,
            report,
            f"{row.what} is memoised with functools.lru_cache, which Dynamo looks through: "
            f"{in_words(calls, 'call')} ran it anew and differ from eager",
            calls,
            row.what,
            row.where,
        )


def _stale_value(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for row, calls in rows(report, "global", "attribute", "closure"):
        yield _finding(
            rule,
            report,
            f"{row.what} changed after capture ({row.captured} → {row.now}) and nothing guards it: "
            f"{in_words(calls, 'call')} ran with what it was",
            calls,
            row.what,
            row.where,
        )


def _lost_mutation(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for what, told in lost(report).items():
        calls = [index for index, _ in told]
        first = told[0][1]
        done = f"eager leaves {what} as {first.eager}"
        if first.kind == "printed":
            done = f"eager prints {first.eager!r}"
        was = "" if first.before is None else f" (it was {first.before})"
        message = f"{done}{was}, compiled code does not: {in_words(calls, 'call')}"
        yield _finding(rule, report, message, calls, what)


def _random(rule: ReportRule, report: Report) -> Iterator[Finding]:
    calls = [index for index, run in unexplained(report) if run.random]
    if calls:
        message = (
            f"{in_words(calls, 'call')} drew other random numbers than eager with the same seed"
        )
        yield _finding(rule, report, message, calls, report.target.name, severity="note")


def _clock(rule: ReportRule, report: Report) -> Iterator[Finding]:
    for index, run in unexplained(report):
        row = next((row for row in run.unguarded if row.kind == "clock"), None)
        if row is not None and not run.random:
            calls = [index for index, run in unexplained(report) if run.unguarded]
            message = f"{in_words(calls, 'call')} read the clock ({row.what}) at another time"
            yield _finding(rule, report, message, calls, row.what, row.where, severity="note")
            return


def _differs(rule: ReportRule, report: Report) -> Iterator[Finding]:
    left = [(i, run) for i, run in unexplained(report) if not (run.random or run.unguarded)]
    if left:
        calls = [index for index, _ in left]
        message = f"{in_words(calls, 'call')} differ{'s' if len(calls) == 1 else ''} from eager: "
        yield _finding(rule, report, message + said(left[0][1]), calls, report.target.name)


def _finding(
    rule: ReportRule,
    report: Report,
    message: str,
    calls: Iterable[int],
    source: str,
    where: Line | None = None,
    severity: Severity = "error",
) -> Finding:
    target = report.target
    return Finding(
        rule=rule.id,
        severity=severity,
        message=message,
        advice=advised(rule, report, source=_bare(source)),
        file=where.file if where else target.file,
        line=where.line if where else target.line,
        function=where.function if where else target.name,
        subjects=(source,),
        calls=tuple(calls),
    )


def _bare(source: str) -> str:
    return source.removeprefix("global ").removeprefix("closure ")


_BOTH = """\
`--eager` makes the same calls in a second process without Dynamo, with the same values and seeds,
and compares what each call gives and changes."""

STALE_ENVIRONMENT = ReportRule(
    id="stale-environment",
    title="An environment variable is baked into the graph",
    why=f"""\
{_BOTH}

Dynamo reads `os.getenv(...)` and `... in os.environ` while it captures, keeps the answer as
a constant and puts no guard on it: when the variable changes, the graph still runs with what it
was. `os.environ[...]` and `os.environ.get(...)` are guarded.""",
    fixes=(
        Fix(
            key="get",
            text="read it with os.environ.get('{source}'), which Dynamo guards",
        ),
        Fix(key="argument", text="or read it outside of the compiled function and pass it in"),
    ),
    find=_stale_environment,
)
LATE_HOOK = ReportRule(
    id="late-hook",
    title="A hook that came after capture is ignored",
    why=f"""\
{_BOTH}

For speed, Dynamo puts no guard on the hooks of a module that had none when it was captured.
A hook that is registered later does not run, until something else makes the frame recompile.""",
    fixes=(
        Fix(key="first", text="register hooks before the first compiled call"),
        Fix(
            key="guards",
            text="or have them guarded: torch._dynamo.config.skip_nnmodule_hook_guards = False",
        ),
    ),
    find=_late_hook,
)
LRU_CACHE_IGNORED = ReportRule(
    id="lru-cache-ignored",
    title="functools.lru_cache is looked through",
    why=f"""\
{_BOTH}

Dynamo captures the function under `functools.lru_cache` (and `functools.cache`) as if it
were not memoised: it runs again on each capture, with the values of now, and neither asks nor fills
the cache. Where it depends on more than its arguments, the results differ.""",
    fixes=(
        Fix(
            key="outside",
            text="call {source} outside of the compiled function and pass its result in",
        ),
        Fix(key="dict", text="or memoise in a dict of your own, which Dynamo reads and guards"),
    ),
    find=_memoised,
)
STALE_VALUE = ReportRule(
    id="stale-value",
    title="A value changed that nothing guards",
    why=f"""\
{_BOTH}

Where the results differ, each value that the code reads by name is looked at: as it was in
the call that captured the graph, and now. One that changed and that no guard of the graph mentions
is likely why. Dynamo guards most of what it reads; it does not guard what a function under
`torch.compiler.assume_constant_result` reads, nor methods that are replaced on a class.""",
    fixes=(Fix(key="argument", text="pass {source} in as an argument, which is guarded"),),
    find=_stale_value,
)
LOST_MUTATION = ReportRule(
    id="lost-mutation",
    title="A change that eager makes is lost",
    why=f"""\
{_BOTH}

Dynamo runs the Python code of a function once, while it captures, and replays on later calls what
the code changed. A change that it does not see as one is lost: `random.Random` of one's own draws
a constant, and its state stands still.""",
    fixes=(
        Fix(
            key="outside",
            text="make the change outside of the compiled function, and pass in what it reads",
        ),
    ),
    find=_lost_mutation,
)
RESULT_DIFFERS = ReportRule(
    id="result-differs",
    title="The result is not eager's",
    why=f"""\
{_BOTH}

Tensors are equal where they are close, by dtype, as `torch.testing.assert_close` has it;
all else is compared exactly. This call differs, draws no random numbers, reads no clock, and
nothing that it reads changed unguarded. Code that asks whether it is being compiled is one reason,
a wrong compilation another.""",
    find=_differs,
)
RANDOM_DIFFERS = ReportRule(
    id="random-differs",
    title="Other random numbers than eager's",
    why=f"""\
{_BOTH}

The generators of torch, Python and numpy are seeded alike before each call. This call
moved them in eager, and its result differs: it drew other numbers, or the same in another order.
A backend with a generator of its own (inductor) does so by design.""",
    fixes=(
        Fix(
            key="outside",
            text="where it matters, draw outside of the compiled function and pass it in",
        ),
    ),
    find=_random,
)
CLOCK_DIFFERS = ReportRule(
    id="clock-differs",
    title="The result depends on the time",
    why=f"""\
{_BOTH}

This call differs, and its code asks for the time. Two runs get two answers, so nothing
can be said of the result.""",
    fixes=(
        Fix(key="outside", text="read the clock outside of the compiled function and pass it in"),
    ),
    find=_clock,
)
EAGER_RULES: tuple[ReportRule, ...] = (
    STALE_ENVIRONMENT,
    LATE_HOOK,
    LRU_CACHE_IGNORED,
    STALE_VALUE,
    LOST_MUTATION,
    RESULT_DIFFERS,
    RANDOM_DIFFERS,
    CLOCK_DIFFERS,
)
