"""One process of `watching.py`: `python benchmarks/watched.py CASE plain|watched [--size N]`
makes the calls of a case, prints seconds and peak MiB as JSON."""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

Target = Callable[..., Any]
_SOURCES = tempfile.TemporaryDirectory()


def cached(size: int = 1000) -> tuple[Target, list[torch.Tensor]]:
    """A small function, and `size` calls after the first that hit."""

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.sin(x) + 1

    return f, [torch.randn(4)] * (size + 1)


def ops(size: int = 5000) -> tuple[Target, list[torch.Tensor]]:
    """A graph of `size` operations, five to an inlined call."""

    def block(x: torch.Tensor) -> torch.Tensor:
        x = torch.sin(x)
        x = x + 1
        x = torch.relu(x)
        x = x * 0.5
        return x - 1

    def f(x: torch.Tensor) -> torch.Tensor:
        for _ in range(size // 5):
            x = block(x)
        return x

    return f, [torch.randn(4)]


def breaks(size: int = 300) -> tuple[Target, list[torch.Tensor]]:
    """`size` graph breaks, each on a line of its own, ten to a helper function."""
    lines = ["import torch"]
    helpers = range(size // 10)
    for i in helpers:
        lines += [f"def part{i}(x):", *["    x = x + 1\n    torch._dynamo.graph_break()"] * 10]
        lines += ["    return x"]
    lines += ["def f(x):", *(f"    x = part{i}(x)" for i in helpers), "    return x"]
    return _imported("\n".join(lines)).f, [torch.randn(4)]


def guards(size: int = 2000) -> tuple[Target, list[torch.Tensor]]:
    """A module whose entry has about `size` leaf guards."""

    class Scale(torch.nn.Module):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.weight + self.by

    return torch.nn.Sequential(*(Scale(i / 8) for i in range(size // 7))), [torch.randn(4)]


CASES = {"cached": cached, "ops": ops, "breaks": breaks, "guards": guards}


def _imported(source: str) -> ModuleType:
    """`source` as a file that is imported: Dynamo and the report read lines from it."""
    path = Path(_SOURCES.name) / "many_breaks.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(fn: Target, calls: Sequence[torch.Tensor]) -> float:
    """Seconds for the calls that are measured: all, or where there are many, all after the
    first."""
    compiled = torch.compile(fn, backend="eager")
    start = time.perf_counter()
    for index, x in enumerate(calls):
        if index == 1:
            start = time.perf_counter()
        compiled(x)
    return time.perf_counter() - start


def watched(fn: Target, calls: Sequence[torch.Tensor]) -> float:
    """The same under `dynprobe.explain`, which makes the report after the last call; what it does
    before the first counts where the first is measured."""
    import dynprobe

    start = time.perf_counter()

    def begin() -> None:
        nonlocal start
        start = time.perf_counter()

    made = [dynprobe.Call((x,)) for x in calls]
    if len(made) > 1:
        made[1] = dynprobe.Call((calls[1],), before=begin)
    dynprobe.explain(fn, made)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("case", choices=CASES)
    parser.add_argument("side", choices=("plain", "watched"))
    parser.add_argument("--size", type=int, help="of the case, instead of its own")
    asked = parser.parse_args()
    side = {"plain": plain, "watched": watched}[asked.side]
    warm, calls = cached(1)
    side(warm, calls)
    case = CASES[asked.case]
    made = case() if asked.size is None else case(asked.size)
    # What torch's import and the warm-up left behind is not charged to whichever side happens to
    # allocate the object that sets off a full collection of it (0.2 s: twenty thousand hits).
    gc.collect()
    seconds = side(*made)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"seconds": seconds, "mib": peak}, sys.stdout)


if __name__ == "__main__":
    main()
