"""The scripts behind the README's figures run, on their smallest case."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def printed(script: str, *arguments: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *arguments, "--runs", "1", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, object]] = json.loads(done.stdout)
    return rows


def test_watching_compares_the_same_calls():
    (row,) = printed("watching.py", "--case", "cached", "--size", "10", "--no-warm-up")
    assert row["case"] == "cached"
    assert row["time ratio"] == row["watched s"] / row["plain s"]
    assert row["watched MiB"] > 100  # torch alone is more


def test_the_cost_of_a_process_counts_its_children(tmp_path):
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from measure import cost_of
    finally:
        sys.path.remove(str(BENCHMARKS))
    held = "x = b'1' * (60 << 20); import time; time.sleep(0.3)"
    code = f"import subprocess, sys; {held}; subprocess.run([sys.executable, '-c', {held!r}])"
    assert cost_of([sys.executable, "-c", code])["tree_mib"] > 120
