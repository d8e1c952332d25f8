"""The command against real torch: what reaches stdout, files and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FIRST_STEPS = Path(__file__).parents[2] / "examples" / "first_steps.py"
LOUD = """
import ctypes, os, sys
import torch
print("at import")
def f(x):
    os.write(1, b"to fd 1\\n")
    ctypes.CDLL(None).puts(b"from C")
    print("printed")
    return x + 1
"""


def dynprobe(*arguments: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "dynprobe", "explain", *arguments, "--width", "120"]
    return subprocess.run(words, capture_output=True, text=True, check=check, cwd=cwd)


def columns(text: str) -> list[list[str]]:
    """The rows of the table of calls."""
    body = text.split("\nCalls\n")[1].split("calls_captured counts")[0]
    rows = [line.split() for line in body.splitlines()]
    return [row for row in rows if row and row[0].isdecimal()]


def test_first_steps_f() -> None:
    target = f"{FIRST_STEPS.relative_to(FIRST_STEPS.parents[1])}:f"
    text = dynprobe(target, "--shapes", "4,4,5,6", cwd=FIRST_STEPS.parents[1]).stdout
    assert text.startswith("f  4 calls: capture, hit, recompile, hit; no graph break\n")
    assert columns(text) == [
        ["0", "f32[4]", "capture", "1/2", "1/2", "2", "1"],
        ["1", "f32[4]", "hit", "–", "1/2", "2", "1"],
        ["2", "f32[5]", "recompile", "1/2", "1/2", "4", "2", "x.shape[0]:", "4", "→", "5"],
        ["3", "f32[6]", "hit", "–", "1/2", "4", "2"],
    ]
    assert "graph 0/1 is dynamic in x dim 0" in text
    assert "examples/first_steps.py:7  return torch.sin(x) + 1" in text


def test_first_steps_g() -> None:
    target = f"{FIRST_STEPS.relative_to(FIRST_STEPS.parents[1])}:g"
    text = dynprobe(target, "--shapes", "3,3", cwd=FIRST_STEPS.parents[1]).stdout
    assert text.startswith(
        "g  2 calls: capture, hit; 1 graph break at examples/first_steps.py:11\n"
    )
    assert "\n  examples/first_steps.py:11 in g\n" in text
    assert "\n    > 11     if x.sum() > 0:\n" in text
    assert "Data-dependent branching (GB0170)" in text
    assert "captured 1× (call 0), crossed 2×" in text
    assert "torch.cond" in text


@pytest.mark.parametrize("mode", [[], ["--in-process"]])
def test_json_is_all_that_reaches_stdout(mode: list[str], tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    words = ("loud.py:f", "--shapes", "3,3", "-f", "json", "-o", "r.json", "-o", "r.txt")
    done = dynprobe(*words, *mode, cwd=tmp_path)
    report = json.loads(done.stdout)
    assert len(report["calls"]) == 2
    assert report["settings"]["in_process"] is bool(mode)
    for said in ("at import", "to fd 1", "from C", "printed"):
        assert said in done.stderr
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == done.stdout
    show = [sys.executable, "-m", "dynprobe", "show", "r.json"]
    shown = subprocess.run(show, capture_output=True, check=True, cwd=tmp_path)
    assert (tmp_path / "r.txt").read_bytes() == shown.stdout


def test_a_call_that_raises_is_exit_code_3(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(x):\n    return x @ x.undefined\n")
    done = dynprobe("bad.py:f", "--shapes", "3", cwd=tmp_path, check=False)
    assert done.returncode == 3
    assert "call 0 raised AttributeError in eager too" in done.stdout


def test_a_target_that_cannot_be_loaded_leaves_no_file(tmp_path: Path) -> None:
    done = dynprobe("gone.py:f", "--shapes", "3", "-o", "r.json", cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert list(tmp_path.iterdir()) == []


def test_a_range_does_not_promise_too_much(tmp_path: Path) -> None:
    """A size that its own guard excludes is named beside the range."""
    (tmp_path / "six.py").write_text("def f(x):\n    return x * 2 if x.shape[0] == 6 else x + 1\n")
    text = dynprobe("six.py:f", "--shapes", "4,5,7,6", cwd=tmp_path).stdout
    assert "4 calls: capture, recompile, hit, recompile" in text
    assert "it accepts other sizes in that range where x.shape[0] != 6" in " ".join(text.split())
