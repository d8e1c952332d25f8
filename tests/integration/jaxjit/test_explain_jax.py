"""`dynprobe explain` with JAX, whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCE = """
import torch
import dynprobe

K = 2
SEEN = []

def stale(x):
    return x * K

def bump():
    global K
    K += 1

def calls():
    return [dynprobe.Call((torch.ones(2),), before=bump) for _ in range(3)]

def loud(x):
    print("hi")
    SEEN.append(1)
    return x + 1

def noisy(x):
    return x + torch.rand(2)

def net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
"""


def explained(tmp_path: Path, target: str, *words: str) -> dict[str, Any]:
    path = tmp_path / "mod.py"
    path.write_text(SOURCE)
    command = [sys.executable, "-m", "dynprobe", "explain", f"{path}:{target}", *words]
    done = subprocess.run(
        [*command, "--jaxpr", "-f", "json"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_stale_value_is_told_call_by_call(tmp_path: Path) -> None:
    report = explained(tmp_path, "stale", "--inputs", f"{tmp_path}/mod.py:calls")
    rows = [call["jax"] for call in report["calls"]]
    assert [row["outcome"] for row in rows] == ["trace", "hit", "hit"]
    assert [row["stale"] for row in rows] == [False, True, True]
    # K is 3, 4, 5; the trace holds 3.
    assert [rows[2]["difference"]["eager"], rows[2]["difference"]["compiled"]] == ["5", "3"]


def test_side_effects_on_three_sides(tmp_path: Path) -> None:
    report = explained(tmp_path, "loud", "--shapes", "2,2")
    printed = [
        next((e for e in call["effects"] if e["kind"] == "printed"), None)
        for call in report["calls"]
    ]
    assert [(e["eager"], e["dynamo"], e["jax"]) for e in printed if e] == [
        ("hi", "hi", "hi"),
        ("hi", "hi", None),
    ]


def test_random_numbers_are_told_apart(tmp_path: Path) -> None:
    report = explained(tmp_path, "noisy", "--shapes", "2,2")
    assert report["jax"]["route"] == "bridge"
    assert all(call["jax"]["random"] for call in report["calls"])
    assert all(call["jax"]["stale"] is None for call in report["calls"])


def test_a_module_has_the_results_of_eager(tmp_path: Path) -> None:
    report = explained(tmp_path, "net", "--factory", "--shapes", "5x4,5x4")
    assert report["jax"]["route"] == "bridge"
    assert [call["jax"]["same_as_eager"] for call in report["calls"]] == [True, True]
    assert report["jax"]["traces"] == 1
