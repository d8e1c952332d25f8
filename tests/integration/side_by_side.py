"""Any callable's calls made twice, with Dynamo and without, each in a forked process."""

from __future__ import annotations

import faulthandler
import multiprocessing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from dynprobe import Call, Report
from dynprobe.observe import eager, run
from dynprobe.observe.assemble import Assembler
from dynprobe.observe.compare import compared
from dynprobe.observe.target.load import describe
from dynprobe.observe.values.make import MadeCall
from dynprobe.report import End
from dynprobe.report.patch import event_adapter
from dynprobe.spec.model import Options

FORK = multiprocessing.get_context("fork")


def _warm_up() -> None:
    """Imports what the first compilation imports, once and not in each fork."""
    torch._dynamo.reset()
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    torch._dynamo.reset()


_warm_up()


def side_by_side(
    make: Callable[[], tuple[Any, Sequence[Call]]], directory: Path, **options: Any
) -> Report:
    """The report of the calls that `make()` gives, in each process anew, with `Call.eager`."""
    folders = {}
    for side in ("compiled", "eager"):
        folders[side] = directory / side
        folders[side].mkdir()
    begun = [
        FORK.Process(target=_worker, args=(make, side, folder, options))
        for side, folder in folders.items()
    ]
    for process in begun:
        process.start()
    for process in begun:
        process.join(100)
        assert process.exitcode == 0
    seen = Assembler()
    for line in (folders["compiled"] / "events").read_text().splitlines():
        seen.apply(event_adapter.validate_json(line))
    report = seen.report(End(complete=True, kind="done"))
    return compared(report, folders["compiled"], folders["eager"], {}, {}, None)


def _worker(make: Any, side: str, folder: Path, options: dict[str, Any]) -> None:
    torch.set_num_threads(1)  # the pool's other threads are not in a fork: waiting for them hangs
    faulthandler.dump_traceback_later(60, exit=True)
    asked = Options(**options, record=str(folder))
    target, calls = make()
    made = [MadeCall(tuple(c.args), dict(c.kwargs), c.label, c.before, c.around) for c in calls]
    loaded = describe(target)
    with open(folder / "events", "w") as file:

        def emit(event: Any) -> None:
            file.write(event.model_dump_json() + "\n")

        if side == "eager":
            eager.watch(loaded, made, asked, emit=emit)
        else:
            emit(run.started(asked, in_process=False))
            run.watch(loaded, made, asked, emit=emit, in_process=False, seeded=True)
