"""Runs the tests of capture on any torch, and says what differs from torch 2.13.

    python scripts/check_torch.py [PYTHON …] [-- PYTEST ARGUMENTS…]

Each PYTHON is an interpreter whose environment has a torch and dynprobe's `dev` extra; without any,
this one. What is known to differ is in `tests/integration/torch_differences.py`. The exit code is 1
where something else fails, and where something that is known to differ no longer does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/integration", "tests/unit/observe")
# What the README shows is what the version it was made with says.
LEFT_OUT = ("tests/integration/test_readme.py", "tests/integration/test_benchmarks.py")
TWO_AT_ONCE = ("-n", "2", "--dist", "loadfile", "--max-worker-restart", "0")
PROBES = (
    ("examples/first_steps.py:f", "--shapes", "4,4,5", "--alone", "--eager"),
    ("examples/first_steps.py:g", "--shapes", "3,3,4"),
    ("examples/nets.py:Mlp", "--call", "4x8xf32", "--call", "5x8xf32"),
)
VERSIONS = "import platform, torch; print(torch.__version__, platform.python_version())"


class Results(NamedTuple):
    """`expected` counts tests by the reason for which they were to fail; `unexpected` has a line
    for each other failure."""

    passed: int
    skipped: int
    expected: Counter[str]
    unexpected: tuple[str, ...]

    def __str__(self) -> str:
        numbers = (
            (self.passed, "passed"),
            (self.expected.total(), "expected differences"),
            (len(self.unexpected), "unexpected"),
            (self.skipped, "skipped"),
        )
        return ", ".join(f"{number} {what}" for number, what in numbers)


def read_results(junit: str) -> Results:
    """From pytest's report as JUnit XML."""
    passed = skipped = 0
    expected: Counter[str] = Counter()
    unexpected = []
    for case in ET.fromstring(junit).iter("testcase"):
        told = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        if told is None:
            passed += 1
        elif told.get("type") == "pytest.xfail":
            expected[told.get("message", "")] += 1
        elif told.tag == "skipped":
            skipped += 1
        else:
            file = case.get("classname", "").rpartition(".")[2]
            unexpected.append(f"{file}.py::{case.get('name')}  {_first_line(told)}")
    return Results(passed, skipped, expected, tuple(unexpected))


def _first_line(told: ET.Element) -> str:
    said = told.get("message") or told.text or ""
    return next(iter(said.strip().splitlines()), "")[:200]


def environment() -> dict[str, str]:
    """This checkout's dynprobe, whichever the interpreter has."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def run(python: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, *words], cwd=ROOT, env=environment(), text=True, capture_output=True
    )


def run_tests(python: str, arguments: list[str]) -> Results | None:
    """None where pytest could not run; its own words then go to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.xml"
        left_out = [f"--ignore={path}" for path in LEFT_OUT]
        words = ["-m", "pytest", *TESTS, *left_out, "-q", "-p", "no:cacheprovider"]
        ended = run(python, *words, f"--junitxml={file}", *(arguments or TWO_AT_ONCE))
        if ended.returncode in (0, 1) and file.exists():
            return read_results(file.read_text(encoding="utf-8"))
    print(f"{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}", file=sys.stderr)
    return None


def not_told(python: str) -> list[str]:
    """The facts that this torch does not give, as small observations report them."""
    found: dict[str, None] = {}
    for words in PROBES:
        ended = run(python, "-m", "dynprobe", "explain", *words, "-f", "json")
        try:
            unknown = json.loads(ended.stdout)["unknown"]
        except (ValueError, KeyError):
            said = ended.stderr.strip().splitlines()
            unknown = [{"what": " ".join(words), "reason": said[-1] if said else "no report"}]
        for fact in unknown:
            found[f"{fact['what']}: {fact['reason']}"] = None
    return list(found)


def check(python: str, arguments: list[str]) -> bool:
    """Prints what holds on the torch of an interpreter; whether all that should does."""
    versions = run(python, "-c", VERSIONS)
    if versions.returncode != 0:
        print(f"{python}: no torch can be imported there", file=sys.stderr)
        return False
    torch, python_version = versions.stdout.split()
    print(f"torch {torch} · Python {python_version} · {python}", flush=True)
    results = run_tests(python, arguments)
    if results is None:
        print("  pytest could not run")
        return False
    print(f"  {results}")
    section("unexpected", results.unexpected)
    section("expected", [f"{n}× {reason}" for reason, n in results.expected.most_common()])
    section("not told by this torch", not_told(python) or ["nothing: every fact of a report is"])
    return not results.unexpected


def section(title: str, lines: list[str] | tuple[str, ...]) -> None:
    for line in (f"  {title}", *(f"    {line}" for line in lines)) if lines else ():
        print(line, flush=True)


def main(words: list[str]) -> int:
    at = words.index("--") if "--" in words else len(words)
    pythons, arguments = words[:at] or [sys.executable], words[at + 1 :]
    held = [check(python, arguments) for python in pythons]  # each, whatever the first says
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
