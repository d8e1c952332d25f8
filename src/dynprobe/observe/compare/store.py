"""Records on disk: one file a call, whole or absent, that runs nothing when read."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .nodes import Data, Node


@dataclass(slots=True)
class Root:
    """A place that state hangs on. `kind` and `what` as in `report.Change`: `argument` `x`,
    `global` `global STEP`, `attribute` `self`."""

    kind: str
    what: str
    node: Node


@dataclass(slots=True)
class EnvRead:
    """A variable of the environment that a call read: its value then (None: it was not set), and
    the user's line that asked."""

    name: str
    value: str | None
    file: str | None = None
    line: int | None = None
    function: str | None = None


@dataclass(slots=True)
class Read:
    """A name that the user's code reads, with the place of the first read. `kind` `name` for an
    attribute or global, `clock` for a function that tells the time, `lru_cache` for a memoised
    function."""

    kind: str
    name: str
    file: str
    line: int
    function: str


@dataclass(slots=True)
class Record:
    """One call. `result` is None where it raised: then `error` has the names of the exception's
    classes, its own first, and `message` its text. `after` has only the roots that are not as
    `before`; `caches` what each memoised function answered (hits, misses) in the call; `cuts` what
    was left out, for its size, depth or time; `fault` what kept the call from being recorded."""

    index: int
    result: Node | None = None
    error: list[str] = field(default_factory=list)
    message: str = ""
    before: list[Root] = field(default_factory=list)
    after: list[Root] = field(default_factory=list)
    random: bool = False
    environment: list[EnvRead] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    caches: dict[str, list[int]] = field(default_factory=dict)
    cuts: list[str] = field(default_factory=list)
    fault: str | None = None


def save(record: Record, directory: str) -> None:
    """Writes `call-N.record` in `directory`; a reader sees all of it or nothing."""
    arrays = _Arrays()
    tree = json.dumps(_plain(record, arrays), separators=(",", ":")).encode()
    path = _path(directory, record.index)
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as file:
        file.write(len(tree).to_bytes(8, "little") + tree)
        for array in arrays.kept:
            file.write(array.data.cast("B") if array.size else b"")
    os.replace(partial, path)


def load(directory: str | Path, index: int) -> Record | None:
    """The record of a call; None where it is not there or not whole."""
    try:
        raw = _path(directory, index).read_bytes()
        end = 8 + int.from_bytes(raw[:8], "little")
        return _record(json.loads(raw[8:end]), memoryview(raw)[end:])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _path(directory: str | Path, index: int) -> Path:
    return Path(directory) / f"call-{index}.record"


class _Arrays:
    """Arrays one after another, each told by its dtype, shape and place."""

    def __init__(self) -> None:
        self.kept: list[np.ndarray[Any, Any]] = []
        self._end = 0

    def add(self, array: np.ndarray[Any, Any] | None) -> list[Any] | None:
        if array is None:
            return None
        array = np.ascontiguousarray(array).reshape(array.shape)
        place = [array.dtype.str, list(array.shape), self._end]
        self.kept.append(array)
        self._end += array.nbytes
        return place


def _array(place: list[Any] | None, raw: memoryview) -> np.ndarray[Any, Any] | None:
    if place is None:
        return None
    dtype, shape, start = np.dtype(place[0]), tuple(place[1]), place[2]
    count = math.prod(shape)
    return np.frombuffer(raw[start : start + count * dtype.itemsize], dtype).reshape(shape)


def _plain(record: Record, arrays: _Arrays) -> dict[str, Any]:
    return {
        "index": record.index,
        "result": None if record.result is None else _node(record.result, arrays),
        "error": record.error,
        "message": record.message,
        "before": [[r.kind, r.what, _node(r.node, arrays)] for r in record.before],
        "after": [[r.kind, r.what, _node(r.node, arrays)] for r in record.after],
        "random": record.random,
        "environment": [[e.name, e.value, e.file, e.line, e.function] for e in record.environment],
        "reads": [[r.kind, r.name, r.file, r.line, r.function] for r in record.reads],
        "caches": record.caches,
        "cuts": record.cuts,
        "fault": record.fault,
    }


def _record(tree: dict[str, Any], raw: memoryview) -> Record:
    def roots(name: str) -> list[Root]:
        return [Root(kind, what, _read(node, raw)) for kind, what, node in tree[name]]

    return Record(
        index=tree["index"],
        result=None if tree["result"] is None else _read(tree["result"], raw),
        error=tree["error"],
        message=tree["message"],
        before=roots("before"),
        after=roots("after"),
        random=tree["random"],
        environment=[EnvRead(*read) for read in tree["environment"]],
        reads=[Read(*read) for read in tree["reads"]],
        caches=tree["caches"],
        cuts=tree["cuts"],
        fault=tree["fault"],
    )


def _node(node: Node, arrays: _Arrays) -> list[Any]:
    items = [[step, _node(child, arrays)] for step, child in node.items]
    plain = [node.kind, node.type, node.text, items, node.number]
    return plain if node.data is None else [*plain, _data(node.data, arrays)]


def _data(data: Data, arrays: _Arrays) -> list[Any]:
    head = [data.dtype, list(data.shape), data.device, data.requires_grad, data.layout, data.sum]
    return [*head, arrays.add(data.values), arrays.add(data.sample)]


def _read(plain: list[Any], raw: memoryview) -> Node:
    kind, type_, text, items, number, *data = plain
    return Node(
        kind,
        type_,
        text,
        [(step, _read(child, raw)) for step, child in items],
        _read_data(data[0], raw) if data else None,
        number,
    )


def _read_data(plain: list[Any], raw: memoryview) -> Data:
    dtype, shape, device, requires_grad, layout, sum_, values, sample = plain
    return Data(
        dtype,
        tuple(shape),
        device,
        requires_grad,
        layout,
        sum_,
        _array(values, raw),
        _array(sample, raw),
    )
