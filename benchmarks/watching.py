"""What watching costs, as a ratio to the same calls unwatched.

    python benchmarks/watching.py [--case cached|ops|breaks|guards] [--size N] [--runs N] [--json]

`cached`: 1,000 calls that hit, of a small function; `ops`: the first capture of a graph of 5,000
operations; `breaks`: that of a function with 300 graph breaks; `guards`: that of a module with
2,000 guards. Plain `torch.compile` and `dynprobe.explain`, both with the eager backend, take turns
in processes of their own; the first pair is not counted, medians are compared. `s` is what
the calls took once torch is imported and Dynamo has compiled something; `MiB` is the peak memory
of the whole process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

from measure import Figures, in_turn, medians, ratios, show

CASES = ("cached", "ops", "breaks", "guards")


def side(case: str, size: int | None, how: str) -> Figures:
    """One process of `watched.py`."""
    script = str(Path(__file__).with_name("watched.py"))
    command = [sys.executable, script, case, how, *([] if size is None else ["--size", str(size)])]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def row(case: str, size: int | None, runs: int, *, warm_up: bool) -> dict[str, object]:
    taken = in_turn(
        {how: partial(side, case, size, how) for how in ("plain", "watched")}, runs, warm_up=warm_up
    )
    plain, watched = medians(taken["plain"]), medians(taken["watched"])
    ratio = ratios(watched, plain)
    return {
        "case": case,
        "plain s": plain["seconds"],
        "watched s": watched["seconds"],
        "time ratio": ratio["seconds"],
        "plain MiB": plain["mib"],
        "watched MiB": watched["mib"],
        "memory ratio": ratio["mib"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", choices=CASES, action="append", help="default: all")
    parser.add_argument("--size", type=int, help="calls, operations, breaks or guards")
    parser.add_argument("--runs", type=int, default=5, help="counted pairs (default: 5)")
    parser.add_argument("--no-warm-up", dest="warm_up", action="store_false", help="count all")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    rows = [
        row(case, asked.size, max(1, asked.runs), warm_up=asked.warm_up)
        for case in asked.case or CASES
    ]
    show(rows, as_json=asked.json)


if __name__ == "__main__":
    main()
