"""Events → Report. Pure: no torch, no user code, no process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..report import (
    Call,
    CallError,
    Counters,
    End,
    Entry,
    Frame,
    GraphBreak,
    Recompile,
    Report,
    Settings,
    Unknown,
)
from ..report.patch import (
    Began,
    Event,
    Failed,
    Finished,
    JaxLoaded,
    JaxPatch,
    Loaded,
    Patch,
    Started,
)


@dataclass
class Assembler:
    """Collects an observation's events. `began` is the call under way; `failed` and `finished`
    tell how the observation ended by its own word (neither: it was cut short)."""

    started: Started | None = None
    loaded: Loaded | None = None
    began: Began | None = None
    failed: Failed | None = None
    finished: bool = False
    jax: JaxLoaded | None = None
    jax_calls: dict[int, JaxPatch] = field(default_factory=dict)
    _calls: dict[int, Call] = field(default_factory=dict)
    _recompiles: list[Recompile] = field(default_factory=list)
    _unknown: list[Unknown] = field(default_factory=list)
    _frames: dict[int, Frame] = field(default_factory=dict)
    _entries: dict[int, list[Entry]] = field(default_factory=dict)
    _breaks: dict[int, GraphBreak] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        match event:
            case Started():
                self.started = event
            case Loaded():
                self.loaded = event
            case Began():
                self.began = event
            case Patch():
                self._patch(event)
            case JaxLoaded():
                self.jax = event
            case JaxPatch():
                self.began = None
                self.jax_calls[event.index] = event
            case Failed():
                self.failed = event
            case Finished():
                self.finished = True

    def _patch(self, patch: Patch) -> None:
        self.began = None
        self._calls[patch.call.index] = patch.call
        self._recompiles += patch.recompiles
        self._unknown += patch.unknown
        self._frames.update((frame.key, frame) for frame in patch.frames)
        for site in patch.graph_breaks:
            self._breaks[site.index] = self._with_earlier(site)
        for new in patch.entries:
            self._entries.setdefault(new.frame_key, []).append(new.entry)

    def _with_earlier(self, site: GraphBreak) -> GraphBreak:
        """The row of a place, with what earlier calls told of themselves."""
        before = self._breaks.get(site.index)
        told = before.per_call if before else ()
        return site.model_copy(update={"per_call": (*told, *site.per_call)})

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that came back, in order."""
        return tuple(self._calls[index] for index in sorted(self._calls))

    @property
    def unknown(self) -> tuple[Unknown, ...]:
        return tuple(self._unknown)

    @property
    def again(self) -> bool:
        """Whether the call under way raised before, and is now made without Dynamo."""
        return self.began is not None and self.began.index in self._calls

    def report(self, end: End, error: CallError | None = None) -> Report:
        """The report so far. `error` is what ended the call under way, which then has a row; one
        made again keeps its own, which tells of `error` as what eager did.

        Raises ValueError before the target is loaded: there is nothing to report on.
        """
        if self.started is None or self.loaded is None:
            raise ValueError("no report before the target is loaded")
        calls = self.calls if error is None else self._with_cut_short(error)
        return Report(
            target=self.loaded.target,
            environment=self.started.environment,
            settings=_in_force(self.started.settings, self.loaded),
            cwd=self.started.cwd,
            counters=_count(calls, self._recompiles, len(self._breaks)),
            calls=calls,
            recompiles=tuple(self._recompiles),
            graph_breaks=tuple(self._breaks[index] for index in sorted(self._breaks)),
            frames=tuple(self._frames_with_entries()),
            unknown=(*self._unknown, *self._orphans()),
            end=end,
        )

    def _with_cut_short(self, error: CallError) -> tuple[Call, ...]:
        if self.began is None:
            return self.calls
        if self.again:
            return tuple(
                _eager_ended(call, error) if call.index == self.began.index else call
                for call in self.calls
            )
        return (*self.calls, self._cut_short(self.began, error))

    def _cut_short(self, began: Began, error: CallError) -> Call:
        """What the call captured is unknown but for the totals before it."""
        before = self.calls[-1] if self.calls else None
        return Call(
            index=began.index,
            label=began.label,
            inputs=began.inputs,
            outcome="error",
            ops_captured=0,
            calls_captured=before.calls_captured if before else 0,
            graphs_compiled=0,
            unique_graphs=before.unique_graphs if before else 0,
            graph_runs=0,
            ops_run=0,
            breaks_crossed=0,
            reason=error.message,
            error=error,
        )

    def _frames_with_entries(self) -> Iterable[Frame]:
        for key in sorted(self._frames):
            entries = tuple(self._entries.get(key, ()))
            yield self._frames[key].model_copy(update={"entries": entries})

    def _orphans(self) -> Iterable[Unknown]:
        for key in sorted(self._entries.keys() - self._frames.keys()):
            for entry in self._entries[key]:
                yield Unknown(
                    what=f"cache entry {entry.compile_id}",
                    reason="the frame it belongs to was never reported",
                )


def _eager_ended(call: Call, error: CallError) -> Call:
    assert call.error is not None  # only a call that raised is made again
    told = call.error.model_copy(update={"eager_error": error.message})
    return call.model_copy(update={"error": told})


def _in_force(settings: Settings, loaded: Loaded) -> Settings:
    """Settings known once the target is loaded: the limit, and what it was compiled with before."""
    known: dict[str, object] = {}
    if loaded.recompile_limit is not None:
        known["recompile_limit"] = loaded.recompile_limit
    own = loaded.target.compile_options
    known |= {name: own[name] for name in ("backend", "dynamic") if name in own}
    if "fullgraph" in own:
        known["fullgraph"] = own["fullgraph"] == "true"
    return settings.model_copy(update=known)


def _count(calls: tuple[Call, ...], recompiles: list[Recompile], breaks: int) -> Counters:
    runs = [run for call in calls for run in call.frames]
    return Counters(
        calls_captured=calls[-1].calls_captured if calls else 0,
        unique_graphs=calls[-1].unique_graphs if calls else 0,
        graph_runs=sum(call.graph_runs for call in calls),
        ops_run=sum(call.ops_run for call in calls),
        graph_break_count=breaks,
        recompiles=sum(not recompile.fallback for recompile in recompiles),
        fallbacks=sum(run.outcome == "fallback" for run in runs),
        skips=sum(run.outcome == "skip" and not run.benign for run in runs),
    )
