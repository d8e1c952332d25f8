"""Which observations an order asks for beside the main one, and what their facts become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .sides import Merge, Seen, Side, Sides, without

if TYPE_CHECKING:
    from ..report import Report
    from ..spec.model import Probe

ALONE = "dynprobe.observe.alone:observe"
EAGER = "dynprobe.observe.eager:observe"
JITTED = "dynprobe.observe.jaxjit.observe:jitted"
UNJITTED = "dynprobe.observe.jaxjit.observe:unjitted"

NO_JAX = "jax is not installed (pip install 'dynprobe[jax]')"


@contextmanager
def observing(probe: Probe) -> Iterator[Sides]:
    """All that `probe` asks for, on its way.

    Raises OSError where the main side's process cannot be started.
    """
    options = probe.options
    with_jax = options.jax and has_jax()
    recorded = options.eager or with_jax
    with ExitStack() as held:
        folders: dict[str, Path] = {}
        if recorded:
            folders = held.enter_context(_folders("dynamo", "eager", "jitted", "unjitted"))
        sides = [Side("each call alone", ALONE, probe, _with_alone)] if options.alone else []
        sides += list(_recorded_sides(probe, folders, with_jax=with_jax)) if recorded else []
        main = _recording(probe, folders["dynamo"]) if recorded else probe
        yield held.enter_context(
            Sides(main, sides, kept=recorded, last=None if with_jax else _without(options.jax))
        )


def has_jax() -> bool:
    """Whether jax can be imported, without importing it."""
    return find_spec("jax") is not None and find_spec("jaxlib") is not None


def _recorded_sides(probe: Probe, folders: dict[str, Path], *, with_jax: bool) -> Iterator[Side]:
    """The plain run, and the two of jax. What they tell of jax is put together by the last."""
    jax = _JaxFacts(folders) if with_jax else None
    if jax is not None:
        for name, entry, facts in (
            ("jitted", JITTED, "what JAX does"),
            ("unjitted", UNJITTED, "what it does without jit"),
        ):
            order = _recording(probe, folders[name])
            yield Side(facts, entry, order, partial(jax.told, name), kept=True)
    order = _recording(probe, folders["eager"])
    yield Side(
        "each call against eager", EAGER, order, _eager_merge(probe, folders, jax), kept=True
    )


def _eager_merge(probe: Probe, folders: dict[str, Path], jax: _JaxFacts | None) -> Merge:
    def merge(report: Report, main: Seen, side: Seen) -> Report:
        if probe.options.eager:
            report = _with_eager(
                report, main, side, compiled=folders["dynamo"], eager=folders["eager"]
            )
        return report if jax is None else jax.merged(report, main, side)

    return merge


@dataclass
class _JaxFacts:
    """What the two sides of jax told, kept until the plain run has told its part."""

    folders: dict[str, Path]
    seen: dict[str, Seen] = field(default_factory=dict)

    def told(self, name: str, report: Report, main: Seen, side: Seen) -> Report:
        self.seen[name] = side
        return report

    def merged(self, report: Report, main: Seen, eager: Seen) -> Report:
        from .jaxjit.merge import with_jax

        sides = {**self.seen, "eager": eager}
        printed = {name: side.printed for name, side in {"dynamo": main, **sides}.items()}
        try:
            return with_jax(
                report,
                sides["jitted"],
                sides["unjitted"],
                eager,
                folders=self.folders,
                printed=printed,
            )
        except Exception as error:  # what --eager told stays
            return without(report, "what JAX does", error)


def _without(asked: bool) -> Callable[[Report], Report] | None:
    """The one line that says why there is nothing of JAX."""
    if not asked:
        return None

    def merge(report: Report) -> Report:
        from ..report import Jax

        return report.model_copy(update={"jax": Jax(route=None, unavailable=NO_JAX)})

    return merge


@contextmanager
def _folders(*names: str) -> Iterator[dict[str, Path]]:
    """Empty ones, while they are needed."""
    import shutil
    import tempfile  # slow, and seldom needed: the workers are to be on their way first

    top = Path(tempfile.mkdtemp(prefix="dynprobe-"))
    try:
        folders = {name: top / name for name in names}
        for folder in folders.values():
            folder.mkdir()
        yield folders
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _recording(probe: Probe, folder: Path) -> Probe:
    return replace(probe, options=replace(probe.options, record=str(folder)))


def _with_alone(report: Report, main: Seen, side: Seen) -> Report:
    from .lost import with_alone

    return with_alone(report, side.followed.seen if side.followed else None, side.unknown)


def _with_eager(report: Report, main: Seen, side: Seen, *, compiled: Path, eager: Path) -> Report:
    from .compare import compared

    return compared(report, compiled, eager, main.printed, side.printed, side.unknown)
