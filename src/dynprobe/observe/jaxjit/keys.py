"""Why a call was traced anew: what jax keys its traces by, told apart by argument.

jax's own explanation is a log whose wording changes. What it is made of is public: the tree of
the arguments, the type of each leaf, the values of static arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from ...report import JaxCause
from ..values.avals import aval_text

_LETTERS = {"bool": "b8", "bfloat16": "bf16"}


@dataclass(frozen=True)
class Leaf:
    """The type of one array or number. `kind` is its dtype (`f32`)."""

    kind: str
    shape: tuple[int, ...]
    weak: bool

    def __str__(self) -> str:
        weak = " weak" if self.weak else ""
        return f"{self.kind}[{','.join(map(str, self.shape))}]{weak}"


@dataclass(frozen=True)
class Key:
    """What one call is keyed by. `nodes` has each argument and what is inside it by its path: a
    `Leaf`, or a container in words (`list of 3`). `passed` says of each argument how it came
    (`positional`, `keyword`); `static` has values."""

    nodes: Mapping[str, Leaf | str] = field(default_factory=dict)
    passed: Mapping[str, str] = field(default_factory=dict)
    static: Mapping[str, str] = field(default_factory=dict)

    @property
    def avals(self) -> tuple[str, ...]:
        """The leaves, as jax sees them."""
        leaves = [f"{p}: {leaf}" for p, leaf in self.nodes.items() if isinstance(leaf, Leaf)]
        return (*leaves, *(f"{name}={value} (static)" for name, value in self.static.items()))


def key_of(
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    signature: inspect.Signature | None,
    static: Sequence[str],
) -> Key:
    """Of a call with these arguments of jax's."""
    nodes: dict[str, Leaf | str] = {}
    passed: dict[str, str] = {}
    fixed: dict[str, str] = {}
    names = _positional(signature, len(args))
    for name, value in [*zip(names, args, strict=True), *kwargs.items()]:
        if name in static:
            fixed[name] = aval_text(value)
            continue
        passed[name] = "keyword" if name in kwargs else "positional"
        nodes.update(_nodes(name, value))
    return Key(nodes, passed, fixed)


def _positional(signature: inspect.Signature | None, count: int) -> list[str]:
    names = []
    for parameter in signature.parameters.values() if signature else ():
        if parameter.kind is parameter.VAR_POSITIONAL:
            break
        names.append(parameter.name)
    more = (f"argument {at}" for at in range(len(names), count))
    return [*names, *more][:count]


def _nodes(path: str, value: Any) -> Iterator[tuple[str, Leaf | str]]:
    if value is None:
        yield path, "None"
        return
    found, _ = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda v: v is not value)
    if len(found) == 1 and not found[0][0]:  # jax takes it for a leaf
        yield path, leaf_of(value)
        return
    yield path, _container(value, len(found))
    for steps, child in found:
        yield from _nodes(f"{path}{jax.tree_util.keystr(steps)}", child)


def _container(value: Any, count: int) -> str:
    if isinstance(value, dict):
        return f"{type(value).__name__} with keys {', '.join(map(repr, value))}"
    if hasattr(value, "cls") and hasattr(value, "names"):  # a dataclass the bridge took apart
        return str(value.cls.__name__)
    return f"{type(value).__name__} of {count}"


def leaf_of(value: Any) -> Leaf | str:
    """The type of a leaf; in words where it is none that jax takes."""
    try:
        seen = jax.eval_shape(lambda leaf: leaf, value)
    except Exception:  # what a class of the user's answers to jax's questions, too
        return f"{type(value).__name__}, which jax.jit does not take"
    return Leaf(_short(seen.dtype), tuple(seen.shape), bool(getattr(seen, "weak_type", False)))


def _short(dtype: Any) -> str:
    name = str(dtype)
    if name in _LETTERS:
        return _LETTERS[name]
    head = name.rstrip("0123456789")
    letter = {"float": "f", "int": "i", "uint": "u", "complex": "c"}.get(head)
    return f"{letter}{name[len(head) :]}" if letter else name


def causes(now: Key, earlier: Sequence[tuple[int, Key]]) -> tuple[JaxCause, ...]:
    """Against the nearest of the earlier traces: the one with the fewest differences, the latest
    of these."""
    if not earlier:
        return (JaxCause(kind="first", path="", now="the first trace"),)
    told = [(call, list(_differences(now, key))) for call, key in earlier]
    call, found = min(reversed(told), key=lambda one: len(one[1]))
    if not found:
        said = "nothing that its arguments are keyed by: something jax reads besides them"
        return (JaxCause(kind="other", path="", now=said, before_call=call),)
    return tuple(cause.model_copy(update={"before_call": call}) for cause in found)


def _differences(now: Key, was: Key) -> Iterator[JaxCause]:
    for name in now.static.keys() | was.static.keys():
        mine, theirs = now.static.get(name), was.static.get(name)
        if mine != theirs:
            yield JaxCause(kind="static", path=name, now=mine or "not given", before=theirs)
    for name in [*now.passed, *(n for n in was.passed if n not in now.passed)]:
        mine, theirs = now.passed.get(name), was.passed.get(name)
        if mine != theirs:
            said = {"now": mine or "not given", "before": theirs or "not given"}
            yield JaxCause(kind="structure", path=name, **said)
    yield from _in_nodes(now, was)


def _in_nodes(now: Key, was: Key) -> Iterator[JaxCause]:
    done: list[str] = []
    for path, mine in now.nodes.items():
        theirs = was.nodes.get(path)
        if theirs is None or theirs == mine or any(path.startswith(f"{d}[") for d in done):
            continue
        if isinstance(mine, Leaf) and isinstance(theirs, Leaf):
            kind = _kind(mine, theirs)
            yield JaxCause(kind=kind, path=path, now=str(mine), before=str(theirs))
        else:
            done.append(path)
            yield JaxCause(kind="structure", path=path, now=str(mine), before=str(theirs))


def _kind(mine: Leaf, theirs: Leaf) -> Any:
    if len(mine.shape) != len(theirs.shape):
        return "rank"
    if mine.shape != theirs.shape:
        return "shape"
    return "dtype" if mine.kind != theirs.kind else "weak_type"
