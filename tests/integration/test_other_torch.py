"""The script that runs the tests with another torch."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "other_torch.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_it_says_which_torch_and_what_came_of_it():
    done = run(sys.executable, "--", "tests/unit/test_house.py", "-n", "0", "-k", "taps")
    last = done.stdout.strip().splitlines()[-1]
    assert f"torch {torch.__version__}" in last
    assert " passed" in last
    assert done.returncode == 0


def test_an_environment_that_lacks_something_is_told_so(tmp_path):
    venv.create(tmp_path / "bare", with_pip=False)
    done = run(str(tmp_path / "bare" / "bin" / "python"), os.devnull)
    bare, null = done.stdout.strip().splitlines()[-2:]
    assert "has no torch, pytest" in bare
    assert f"{os.devnull}: cannot be run" in null
    assert done.returncode == 1


def test_without_a_python_it_says_how():
    done = run()
    assert done.returncode == 2
    assert "PYTHON" in done.stderr
