"""The calls to make, with their values.

Values are made before the first call, so that nothing a call does changes what later calls get,
and so that whatever cannot be made is said at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from inspect import Signature
from typing import Any

from ...errors import InputError
from ...spec.model import (
    ArgSpec,
    CallSpec,
    DictSpec,
    ListSpec,
    LiteralSpec,
    NpySpec,
    Options,
    Probe,
    RefSpec,
    TensorSpec,
    ValueSpec,
)
from ..target.load import load_object
from ..target.signature import Named, call_signature, check_call
from .inputs import MAX_CALLS, listed_calls
from .npy import load_npy
from .tensors import check_device, check_memory, make_tensor, tensor_bytes


@dataclass(frozen=True, slots=True)
class MadeCall:
    """One call, ready to be made. `before()` runs just before it; `around()` gives a context
    manager held during it."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    label: str | None = None
    before: Callable[[], object] | None = None
    around: Callable[[], AbstractContextManager[Any]] | None = None


def make_calls(probe: Probe, loaded: Named) -> list[MadeCall]:
    """Every call of `probe` in order, the whole list `options.repeat` times, each checked against
    the signature of `loaded`.

    Tensors are fresh for each call. Their values depend on the seed and on which parameter they
    are for, not on the call: the same text gives the same values again. Objects by `@ref` are the
    same object in every call. A function named by `inputs` is called once for each repetition, so
    that each gets what it makes anew; a list gives the same objects each time.

    Raises InputError, TargetError, GrammarError (a reference that cannot be read).
    """
    if probe.inputs is not None:
        listed = listed_calls(probe.inputs, probe.options)
        calls = [
            MadeCall(tuple(c.args), dict(c.kwargs), c.label, c.before, c.around) for c in listed
        ]
    else:
        calls = _typed_calls(probe, loaded)
    for index, call in enumerate(calls):
        check_call(loaded, call.args, call.kwargs, index, typed=probe.inputs is None)
    return calls


def _typed_calls(probe: Probe, loaded: Named) -> list[MadeCall]:
    options = probe.options
    count = len(probe.calls) * options.repeat
    if count > MAX_CALLS:
        raise InputError(f"{count:,} calls are too many: {MAX_CALLS:,} is the most")
    tensors = [t for call in probe.calls for arg in call.args for t in _tensors(arg.value)]
    if tensors:
        check_device(options.device)
    for spec in tensors:  # each alone first: the message then names it
        check_memory(tensor_bytes(spec, options), f"'{spec}'")
    asked = options.repeat * sum(tensor_bytes(spec, options) for spec in tensors)
    check_memory(asked, f"all {count:,} calls together")
    maker = _Maker(options, call_signature(loaded.callable))
    return [maker.call(call) for _ in range(options.repeat) for call in probe.calls]


def _tensors(spec: ValueSpec) -> Iterator[TensorSpec]:
    if isinstance(spec, TensorSpec):
        yield spec
    elif isinstance(spec, ListSpec):
        for item in spec.items:
            yield from _tensors(item)
    elif isinstance(spec, DictSpec):
        for _, item in spec.items:
            yield from _tensors(item)


class _Maker:
    """Makes values; remembers what references name."""

    def __init__(self, options: Options, signature: Signature | None) -> None:
        self._options = options
        self._refs: dict[str, Any] = {}
        names = signature.parameters if signature else {}
        self._places = {name: str(place) for place, name in enumerate(names)}

    def call(self, spec: CallSpec) -> MadeCall:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for position, arg in enumerate(spec.args):
            value = self._value(arg.value, self._place(arg, position))
            if arg.name is None:
                args.append(value)
            else:
                kwargs[arg.name] = value
        return MadeCall(tuple(args), kwargs, spec.label)

    def _place(self, arg: ArgSpec, position: int) -> str:
        """The same for a parameter given by position and by name."""
        return str(position) if arg.name is None else self._places.get(arg.name, arg.name)

    def _value(self, spec: ValueSpec, place: str) -> Any:
        match spec:
            case TensorSpec():
                return make_tensor(spec, self._options, place)
            case LiteralSpec():
                return spec.value
            case RefSpec():
                return self._reference(spec.text)
            case NpySpec():
                return load_npy(spec.path, self._options.device)
            case ListSpec():
                return [self._value(item, f"{place}.{n}") for n, item in enumerate(spec.items)]
            case DictSpec():
                return {k: self._value(item, f"{place}.{k}") for k, item in spec.items}

    def _reference(self, text: str) -> Any:
        if text not in self._refs:
            self._refs[text] = load_object(text, self._options)
        return self._refs[text]
