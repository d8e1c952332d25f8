"""How long `dynprobe explain --alone` takes, as a ratio to the same command without it.

    python benchmarks/alone.py [--case first_steps|llama] [--runs N] [--json]

Both run as whole processes in turn, the first pair is not counted, medians are compared. With
`--alone` a second worker makes each call once more at the same time, and captures each anew; with
as many idle cores, `wall` grows by what that takes longer than the main side. `cpu` counts all
processes, `tree_mib` their memory at its peak.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from measure import cost_of, in_turn, medians, ratios, show
from startup import EXPLAIN


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", choices=EXPLAIN, default="first_steps")
    parser.add_argument("--runs", type=int, default=5, help="counted pairs (default: 5)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    words = [sys.executable, "-m", "dynprobe", "explain", *EXPLAIN[asked.case], "--no-jax"]
    sides = {"explain": words, "explain --alone": [*words, "--alone"]}
    taken = in_turn(
        {name: partial(cost_of, command) for name, command in sides.items()}, max(1, asked.runs)
    )
    without, with_alone = (medians(taken[name]) for name in sides)
    rows = [
        {asked.case: name, **figures}
        for name, figures in (
            ("explain", without),
            ("explain --alone", with_alone),
            ("ratio", ratios(with_alone, without)),
        )
    ]
    show(rows, as_json=asked.json)


if __name__ == "__main__":
    main()
