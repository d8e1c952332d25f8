"""All that must hold before a change lands: style, types, imports, the pictures, the tests.

    python scripts/check.py [PYTEST ARGUMENTS…]

Run it with the Python of the environment that has dynprobe's `dev` extra. The quick checks all
run, whatever the first of them says; the tests run where those pass, and end the output.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
QUICK = (
    (PYTHON, "-m", "ruff", "check", "."),
    (PYTHON, "-m", "ruff", "format", "--check", "."),
    (PYTHON, "-m", "mypy"),
    (str(Path(PYTHON).with_name("lint-imports")),),
    (PYTHON, "scripts/picture.py", "--check"),
)
# A test process that dies is a failure at once: put in again, it can wait for ever.
TESTS = (PYTHON, "-m", "pytest", "-n", "2", "--dist", "loadfile", "--max-worker-restart", "0")


def passes(words: tuple[str, ...]) -> bool:
    print(f"$ {shlex.join(words)}", flush=True)
    return subprocess.run(words, cwd=ROOT).returncode == 0


def main(pytest_arguments: list[str]) -> int:
    failed = [words for words in QUICK if not passes(words)]
    for words in failed:
        print(f"failed: {shlex.join(words)}", file=sys.stderr)
    return 1 if failed or not passes((*TESTS, *pytest_arguments)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
