"""In a worker: what each call gives and changes, written down for the comparison.

The record of a call is made around the call itself, inside of all that the user holds around it
and outside of all of ours. A fault of ours ends in the record; the call goes on."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..target.load import LoadedTarget
from ..values.avals import type_name
from ..values.make import MadeCall
from .environ import noted_reads
from .nodes import Node, below
from .state import State
from .store import EnvRead, Record, Root, save
from .tensors import Budget, quietly
from .walk import Walker


@dataclass(slots=True)
class Kept:
    """What the caller puts the result of the call in."""

    result: object = None


class Recorder:
    """Writes a file for each call into `directory`. `plain`: the target runs without Dynamo, in a
    process of our own, where what it reads of the environment can be noted."""

    def __init__(self, directory: str, loaded: LoadedTarget, *, plain: bool = False) -> None:
        self._directory = directory
        self._loaded = loaded
        self._plain = plain
        self._budget = Budget()

    @contextmanager
    def call(self, index: int, made: MadeCall) -> Iterator[Kept]:
        """Around one call, whose exception passes."""
        one = _One(Record(index), self._loaded, made, self._budget)
        kept = Kept()
        one.guarded(one.begin)
        held = ExitStack()
        reads: dict[str, EnvRead] = held.enter_context(noted_reads()) if self._plain else {}
        try:
            yield kept
        except BaseException as error:
            held.close()
            one.guarded(partial(one.raised, error))
            raise
        else:
            held.close()
            one.guarded(partial(one.returned, kept.result))
        finally:
            held.close()
            kept.result = None
            one.record.environment = list(reads.values())
            one.guarded(one.end)
            self._write(one.record)

    def _write(self, record: Record) -> None:
        try:
            save(record, self._directory)
        except Exception as error:  # a full disk: the comparison then says that it has no record
            sys.stderr.write(f"dynprobe: call {record.index} is not recorded: {error}\n")


@contextmanager
def recorded(recorder: Recorder | None, index: int, made: MadeCall) -> Iterator[Kept]:
    """`recorder.call`, or nothing where no record was asked for."""
    if recorder is None:
        yield Kept()
    else:
        with recorder.call(index, made) as kept:
            yield kept


class _One:
    """One call on the way."""

    def __init__(
        self, record: Record, loaded: LoadedTarget, made: MadeCall, budget: Budget
    ) -> None:
        self.record = record
        self._loaded, self._made, self._budget = loaded, made, budget
        self._cuts: set[str] = set()

    def guarded(self, step: Any) -> None:
        """A fault of ours stays ours."""
        try:
            with quietly():
                step()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if self.record.fault is None:
                self.record.fault = f"{type_name(error)}: {error}"

    def begin(self) -> None:
        self._budget.begin_call()
        self._state = State(self._loaded, self._made)
        self.record.before, _ = self._state.snapshot(None)
        self._caches = self._cache_counts()
        self._generators = generators_now()

    def returned(self, result: object) -> None:
        walker = Walker(self._budget)
        self._moved()
        self.record.result = walker.node(result)
        self._cuts |= walker.cuts

    def raised(self, error: BaseException) -> None:
        self._moved()
        self.record.error = [
            str(type.__dict__["__qualname__"].__get__(cls)) for cls in type(error).__mro__
        ]
        self.record.message = _message(error)

    def _moved(self) -> None:
        self.record.random = generators_now() != self._generators
        for name, count in self._cache_counts().items():
            was = self._caches.get(name, (0, 0))
            self.record.caches[name] = [now - then for now, then in zip(count, was, strict=True)]

    def end(self) -> None:
        """State that is not as it was, with its values."""
        self._budget.knows(frozenset(_sums(self.record.before)))
        after, cuts = self._state.snapshot(self._budget)
        before = {root.what: root for root in self.record.before}
        self.record.after = [root for root in after if _changed(before.get(root.what), root)]
        self.record.reads = list(self._state.reached.reads.values())
        self.record.cuts = sorted(self._cuts | cuts)

    def _cache_counts(self) -> dict[str, tuple[int, int]]:
        infos = {name: cache.cache_info() for name, cache in self._state.reached.caches.items()}
        return {name: (info.hits, info.misses) for name, info in infos.items()}


def _message(error: BaseException) -> str:
    try:
        return str(error)[:1000]
    except Exception:
        return ""


def _changed(before: Root | None, after: Root) -> bool:
    return before is None or _signature(before.node) != _signature(after.node)


def _sums(roots: list[Root]) -> Iterator[str]:
    for root in roots:
        for node in below(root.node):
            if node.data is not None and node.data.sum:
                yield node.data.sum


def _signature(node: Node) -> list[object]:
    """All of a node but the values: a tensor is told by its checksum."""
    told: list[object] = []
    for found in below(node):
        told += [found.kind, found.type, found.text, found.number, len(found.items)]
        told += [step for step, _ in found.items]
        if (data := found.data) is not None:
            told += [data.dtype, data.shape, data.requires_grad, data.device, data.sum]
    return told


def generators_now() -> str:
    """A checksum of the states of the generators that programs draw from."""
    import torch

    found = hashlib.blake2b(torch.get_rng_state().numpy().tobytes(), digest_size=16)
    found.update(repr(random.getstate()).encode())
    if (numpy := sys.modules.get("numpy")) is not None:
        found.update(numpy.random.get_state()[1].tobytes())
        found.update(repr(numpy.random.get_state()[2:]).encode())
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        for state in torch.cuda.get_rng_state_all():
            found.update(state.numpy().tobytes())
    return found.hexdigest()
