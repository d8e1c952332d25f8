"""The tests on real torch, with any torch that is installed somewhere.

    python scripts/other_torch.py PYTHON… [-- PYTEST ARGUMENTS…]

PYTHON is the Python of an environment with that torch and dynprobe's `dev` extra (dynprobe itself
is taken from this checkout). Each runs `tests/integration` in turn; a line each says at the end
what came of it. Rows that a torch cannot give are `Unknown` in its reports, with the reason: the
tests that want them are skipped there or fail, and pytest names them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("torch", "pytest", "xdist", "pydantic", "rich", "typer", "jsonschema", "hypothesis")
LOOK = f"""
import importlib.util as u, sys
missing = [name for name in {NEEDED!r} if u.find_spec(name) is None]
if missing:
    sys.exit("has no " + ", ".join(missing))
import platform, torch
print("torch", torch.__version__, "Python", platform.python_version())
"""


def environment() -> dict[str, str]:
    """With this checkout's dynprobe before any that is installed."""
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def looked_at(python: str) -> tuple[bool, str]:
    """Whether the tests can run with it, and what it is or lacks."""
    try:
        done = subprocess.run(
            [python, "-c", LOOK], env=environment(), capture_output=True, text=True
        )
    except OSError as error:
        return False, f"cannot be run: {error.strerror}"
    said = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return done.returncode == 0, said[-1] if said else f"ended with {done.returncode}"


def tested(python: str, pytest_arguments: list[str]) -> tuple[bool, str]:
    """Whether all passed, and pytest's last line."""
    words = [python, "-m", "pytest", "-q", "--max-worker-restart", "0", *pytest_arguments]
    last = ""
    with subprocess.Popen(
        words, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return process.returncode == 0, last


def main(arguments: list[str]) -> int:
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    pythons, pytest_arguments = arguments[:cut], arguments[cut + 1 :]
    if not pythons:
        print(__doc__, file=sys.stderr)
        return 2
    good, lines = True, []
    for python in pythons:
        usable, said = looked_at(python)
        print(f"{python}: {said}", flush=True)
        if usable:
            usable, result = tested(python, pytest_arguments or ["tests/integration", "-n", "2"])
            said = f"{said}: {result}"
        good = good and usable
        lines.append(f"{python}: {said}")
    print(*lines, sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
