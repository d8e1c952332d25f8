"""How long `dynprobe explain` takes, as a ratio to a plain script that makes the same calls.

    python benchmarks/startup.py [--case first_steps|llama] [--runs N] [--json]

Both run as whole processes in turn, the first pair is not counted, medians are compared. Below 1
`dynprobe` is faster than the script: it imports torch without collecting garbage, while it
imports all else in another process. `cpu` counts both processes, `tree_mib` their memory at its
peak.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from measure import ROOT, cost_of, in_turn, medians, ratios, show

EXPLAIN = {
    "first_steps": ["examples/first_steps.py:f", "--shapes", "4,4,5,6"],
    "llama": [
        "examples/hf.py:llama",
        *("--call", "input_ids=2x8xi64:randint=100"),
        *("--call", "input_ids=2x9xi64:randint=100"),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", choices=EXPLAIN, default="first_steps")
    parser.add_argument("--runs", type=int, default=7, help="counted pairs (default: 7)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    script = str(ROOT / "benchmarks" / f"plain_{asked.case}.py")
    explain = [*("-m", "dynprobe", "explain"), *EXPLAIN[asked.case], "--no-jax"]
    taken = in_turn(
        {
            "plain": partial(
                cost_of, [sys.executable, script], {"PYTHONPATH": str(ROOT / "examples")}
            ),
            "dynprobe": partial(cost_of, [sys.executable, *explain]),
        },
        max(1, asked.runs),
    )
    plain, ours = medians(taken["plain"]), medians(taken["dynprobe"])
    rows = [
        {asked.case: name, **figures}
        for name, figures in (
            ("plain script", plain),
            ("dynprobe explain", ours),
            ("ratio", ratios(ours, plain)),
        )
    ]
    show(rows, as_json=asked.json)


if __name__ == "__main__":
    main()
