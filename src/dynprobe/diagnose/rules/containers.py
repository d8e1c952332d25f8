"""Recompiles because of a container's length or keys."""

from __future__ import annotations

from dynprobe.diagnose.causes import Cause

from .base import CauseRule, Fix

_KEYED = ("dict", "OrderedDict", "defaultdict", "mappingproxy")
_SETS = ("set", "frozenset")


def _is_keyed(cause: Cause) -> bool:
    return any(row.type in _KEYED for row in cause.rows)


def _is_set(cause: Cause) -> bool:
    return any(row.type in _SETS for row in cause.rows)


def _length(cause: Cause) -> bool:
    is_other = cause.row.source.endswith("._modules)") or _of_optimizer(cause)
    return cause.row.kind == "length" and not is_other


def _of_optimizer(cause: Cause) -> bool:
    """What torch's optimizers keep of a parameter, as their own code reads it."""
    row = cause.row
    return row.kind == "length" and ".state[" in row.source and "torch/optim/" in (row.file or "")


def _outlives(cause: Cause) -> bool:
    """Whether the container is still there after the call: a global, a closure, an attribute of
    the target or of a class."""
    row = cause.row
    held = row.root in ("global", "closure") or row.holder in ("module", "class")
    return held or row.source.startswith("len(self.")


def _keys(cause: Cause) -> bool:
    if _is_set(cause):
        return False
    order = cause.row.kind == "value" and cause.row.source.startswith("list(")
    return cause.row.kind == "dict_keys" or order


CONTAINER_GROWTH = CauseRule(
    id="container-growth",
    title="A list or dict that outlives the call changed its length",
    why="""\
Dynamo guards the length of every list and dict that captured code appends to, iterates over or
asks for its length. One that lives on between calls (a global, a closure, an attribute) and grows
by each of them makes a new entry every time, up to the recompile limit.

Appending to it is no tensor work: the compiled function can return what is to be kept, and its
caller keep it.""",
    fixes=(
        Fix(
            key="outside",
            text="fill {source} outside the compiled function, with what it returns",
        ),
        Fix(key="tensor", text="or, where only a number is needed, count in a tensor"),
    ),
    matches=lambda cause: _length(cause) and _outlives(cause),
)
OPTIMIZER_STATE = CauseRule(
    id="optimizer-state",
    title="An optimizer made its state in its first step",
    why="""\
Some optimizers make what they keep of a parameter (momentum and the like) in their first step, and
whether it is there already is guarded: the first step and the second have an entry each, and all
later ones hit. That is one compile more, once.""",
    fixes=(
        Fix(
            key="first",
            text="make the first step before it is compiled, then the compiled one finds the state",
        ),
    ),
    matches=_of_optimizer,
)
LIST_LENGTH = CauseRule(
    id="list-length",
    title="The length of a list changed",
    why="""\
A list or tuple is unrolled while it is captured: each length has a graph and an entry of its own,
up to the recompile limit, and no setting makes it dynamic. The size of a tensor can be dynamic.""",
    fixes=(
        Fix(
            key="stack",
            text="pass one stacked tensor instead of {source}, and compile with dynamic=True",
        ),
        Fix(
            key="pad",
            text="or a list of one length: pad {source} with zeros (or masked entries)",
        ),
    ),
    matches=lambda cause: (
        _length(cause) and not _outlives(cause) and not _is_keyed(cause) and not _is_set(cause)
    ),
)
DICT_KEYS = CauseRule(
    id="dict-keys",
    title="The keys of a dict changed",
    why="""\
A dict's keys are guarded as far as captured code looks: a key that is read must be there, one that
was looked for in vain must still be absent, and code that iterates is captured for these keys, in
this order.""",
    fixes=(
        Fix(
            key="same",
            text="pass {container} with the same keys in the same order on every call, and a "
            "neutral value such as zeros for what is not there",
        ),
    ),
    matches=lambda cause: (
        _keys(cause) or (_length(cause) and not _outlives(cause) and _is_keyed(cause))
    ),
)
CONTAINER_RULES: tuple[CauseRule, ...] = (
    CONTAINER_GROWTH,
    OPTIMIZER_STATE,
    LIST_LENGTH,
    DICT_KEYS,
)
