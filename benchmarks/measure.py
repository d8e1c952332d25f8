"""What the benchmarks share: the cost of a process, runs in turn, ratios of medians, a table."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SAMPLE = 0.02  # seconds between looks at a tree's memory

Figures = dict[str, float]
"""Name of a quantity → its value. Times in seconds, memory in MiB."""


def cost_of(command: Sequence[str], env: Mapping[str, str] | None = None) -> Figures:
    """Runs `command` to its end: `wall`; `cpu` of it and all it waited for; `tree_mib`, the most
    that it and its descendants held at one time (resident pages, shared ones counted in each).

    Raises RuntimeError where it does not exit with 0.
    """
    start = time.perf_counter()
    child = subprocess.Popen(
        command,
        env={**os.environ, **(env or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    sampler = _Sampler(child.pid)
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} exited with {child.returncode}\n{said.decode()}")
    peak = max(sampler.stop(), usage.ru_maxrss / 1024)
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "tree_mib": peak}


class _Sampler:
    """Watches the memory of a process and its descendants from a thread (Linux; 0 elsewhere)."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """The peak, in MiB."""
        self._done.set()
        self._thread.join()
        return self._peak * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _watch(self) -> None:
        while not self._done.wait(_SAMPLE):
            self._peak = max(self._peak, sum(map(_resident_pages, _tree(self._pid))))


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text().split():
                yield from _tree(int(child))


def _resident_pages(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0


def in_turn(
    sides: Mapping[str, Callable[[], Figures]], runs: int, *, warm_up: bool = True
) -> dict[str, list[Figures]]:
    """Each side once to warm up, then `runs` rounds of all sides: what else the machine does
    meets them alike."""
    for side in sides.values() if warm_up else ():
        side()
    taken: dict[str, list[Figures]] = {name: [] for name in sides}
    for _ in range(runs):
        for name, side in sides.items():
            taken[name].append(side())
    return taken


def medians(taken: Sequence[Figures]) -> Figures:
    return {name: statistics.median(one[name] for one in taken) for name in taken[0]}


def ratios(above: Figures, below: Figures) -> Figures:
    """Of medians: `above` / `below`."""
    return {name: above[name] / below[name] for name in below if below[name]}


def show(rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    """Rows with the same keys, as a table or as JSON."""
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        first, *rest = (
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *rest]))


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
