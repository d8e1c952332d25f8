"""Answers every ATen operation of a call with jax.

Each operation is also run on tensors without data (`meta`): torch itself then tells the result's
shape, strides and dtype, and raises what it would raise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_any, tree_leaves, tree_map

from ...dynamo.taps.outside import outside_modes
from ..aten.registry import (
    NATIVE,
    PUTS,
    PYTHON,
    VIEWS,
    WANTS_OUT,
    decompositions,
    load_tables,
)
from .boxes import Box, ViewBox
from .callback import through_callback
from .dtypes import jax_dtype, torch_dtype
from .functional import functional_of, out_names
from .metas import NotBridged as NotBridged
from .metas import as_meta, check_readable, on_meta
from .tensor import JaxTensor
from .values import to_jax, to_torch


@dataclass
class Used:
    """How operations were answered, each with how often."""

    native: Counter[str] = field(default_factory=Counter)
    decomposed: Counter[str] = field(default_factory=Counter)
    callback: Counter[str] = field(default_factory=Counter)
    random: Counter[str] = field(default_factory=Counter)


class BridgeMode(TorchDispatchMode):  # type: ignore[misc]  # Any to mypy here
    """One call. `lifted` has the plain tensors that the call met (parameters, constants, tensors
    it made itself), each as the tensor that stands for it from then on."""

    def __init__(self, used: Used | None = None) -> None:
        super().__init__()
        load_tables()
        self.used = used or Used()
        self.lifted: dict[int, tuple[torch.Tensor, JaxTensor]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self.run(func, args, kwargs or {})

    def run(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """The result of one operator, of the tensors and values it was given."""
        if func is torch.ops.aten._local_scalar_dense.default:
            return self.lift(args[0]).value.item()
        if func in (torch.ops.prim.device.default, torch.ops.aten.is_pinned.default):
            return torch.device("cpu") if "device" in str(func) else False
        if func._schema.is_mutable:
            return self._mutating(func, args, kwargs)
        if _draws(func) and not _reads_values(func):
            return self._drawn(func, args, kwargs)
        if not tree_any(lambda leaf: isinstance(leaf, torch.Tensor), (args, kwargs)):
            return self._made(func, args, kwargs)
        given, named = tree_map(self._lifted, (args, kwargs))
        if func in VIEWS:
            return self._view(func, given, named)
        return self._answered(func, given, named)

    # -- tensors -----------------------------------------------------------------------------------

    def lift(self, tensor: torch.Tensor) -> JaxTensor:
        """The tensor that stands for `tensor` in this call."""
        if isinstance(tensor, JaxTensor):
            return tensor
        known = self.lifted.get(id(tensor))
        if known is None:
            if tensor.device.type == "meta" or tensor.layout != torch.strided:
                raise NotBridged(f"it meets a tensor that is {_odd(tensor)}")
            made = JaxTensor(Box(to_jax(tensor)), as_meta(tensor))
            known = self.lifted[id(tensor)] = (tensor, made)
        return known[1]

    def _lifted(self, leaf: Any) -> Any:
        return self.lift(leaf) if isinstance(leaf, torch.Tensor) else leaf

    def write_back(self) -> None:
        """Gives the plain tensors that were changed in place the values that they would have.
        Only where values are concrete."""
        for plain, made in self.lifted.values():
            if made.box.version:
                with outside_modes(), torch.no_grad():
                    plain.detach().copy_(to_torch(made.value, plain.dtype))

    def _boxed(self, value: Any, meta: torch.Tensor) -> JaxTensor:
        wanted = jax_dtype(meta.dtype)
        if tuple(value.shape) != tuple(meta.shape):
            raise NotBridged(f"a shape came out as {value.shape}, not {tuple(meta.shape)}")
        return JaxTensor(Box(value if value.dtype == wanted else value.astype(wanted)), meta)

    def _results(self, values: Any, metas: Any) -> Any:
        if isinstance(metas, torch.Tensor):
            return self._boxed(values, metas)
        if isinstance(metas, (tuple, list)):
            return type(metas)(self._results(v, m) for v, m in zip(values, metas, strict=True))
        return metas

    # -- the ways to answer ------------------------------------------------------------------------

    def _made(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """A tensor made of nothing: torch makes it, and it is a constant."""
        with outside_modes():
            made = func(*args, **kwargs)
        return tree_map(self._lifted, made)

    def _drawn(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Random numbers: torch draws them now, once; for jax they are a constant."""
        self.used.random[_name(func)] += 1
        with outside_modes():
            plain = tree_map(_blank, (args, kwargs))
            drawn = func(*plain[0], **plain[1])
        return tree_map(self._lifted, drawn)

    def _view(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        metas = on_meta(func, args, kwargs)
        base, rest = args[0], args[1:]
        check_readable(func, base, metas)
        self.used.native[_name(func)] += 1
        read = VIEWS[func]
        put = PUTS.get(func)
        many = isinstance(metas, (tuple, list))

        def one(meta: torch.Tensor, at: int | None) -> JaxTensor:
            def get(value: Any) -> Any:
                found = read(value, *rest, **kwargs)
                return found if at is None else found[at]

            def replaced(value: Any, new: Any) -> Any:
                return PUTS[func](value, new, *rest, **kwargs)

            return JaxTensor(ViewBox(base.box, get, None if put is None else replaced), meta)

        return [one(meta, at) for at, meta in enumerate(metas)] if many else one(metas, None)

    def _answered(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        values = tree_map(_value, (args, kwargs))
        if func in PYTHON:
            return PYTHON[func](*values[0], **values[1])
        if func in NATIVE:
            return self._native(func, args, kwargs, values)
        if (decomposed := self._decomposed(func, args, kwargs)) is not NotImplemented:
            return decomposed
        self.used.callback[_name(func)] += 1
        metas = on_meta(func, args, kwargs)
        found = self._results(through_callback(func, args, kwargs, metas), metas)
        if any(r.alias_info is not None for r in func._schema.returns):
            for tensor in tree_leaves(found):  # what is put into it would not reach the base
                tensor.box.fixed = _name(func)
        return found

    def _native(self, func: Any, args: Any, kwargs: dict[str, Any], values: Any) -> Any:
        try:
            metas = on_meta(func, args, kwargs)
        except NotImplementedError:  # of a shape that only the values tell
            metas = None
        self.used.native[_name(func)] += 1
        if func in WANTS_OUT:
            values[1]["out"] = metas
        found = NATIVE[func](*values[0], **values[1])
        if metas is None:
            metas = tree_map(_meta_of, found)
        return self._results(found, metas)

    def _decomposed(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        decompose: Callable[..., Any] | None = decompositions().get(func)
        # torch's references end in `prims`, which take tensors of one shape only
        if decompose is not None and decompose.__module__.startswith("torch._refs"):
            return NotImplemented
        with self:
            if decompose is not None:
                found = decompose(*args, **kwargs)
            elif func._can_decompose():
                found = func.decompose(*args, **kwargs)
            else:
                return NotImplemented
        if found is not NotImplemented:
            self.used.decomposed[_name(func)] += 1
        return found

    # -- what changes its arguments ----------------------------------------------------------------

    def _mutating(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if func is torch.ops.aten.copy_.default:
            return self._set(args[0], jnp.asarray(self.lift(args[1]).value))
        if torch.Tag.inplace_view in func.tags:
            return _kept_in_shape(func, args)
        if outs := out_names(func):
            return self._into(func, outs, args, kwargs)
        if _draws(func) and not any(isinstance(a, torch.Tensor) for a in args[1:]):
            return self._set(args[0], self.lift(self._drawn(func, args, kwargs)).value)
        pure = functional_of(func)
        if pure is None:
            found = self._decomposed(func, *tree_map(self._lifted, (args, kwargs)))
            if found is NotImplemented:
                raise NotBridged(f"{_name(func)} changes what it is given")
            return args[0] if func._schema.name.endswith("_") else found
        found = self.run(pure, args, kwargs)
        if isinstance(args[0], (list, tuple)):  # `_foreach_add_` gives nothing
            for target, result in zip(args[0], found, strict=True):
                self._set(target, self.lift(result).value)
            return None
        return self._set(args[0], self.lift(found).value)

    def _into(self, func: Any, outs: tuple[str, ...], args: Any, kwargs: dict[str, Any]) -> Any:
        """`out=`: the functional form, its results put into what was given."""
        pure = functional_of(func)
        if pure is None:
            raise NotBridged(f"{_name(func)} has no form without out=")
        inputs = {name: value for name, value in kwargs.items() if name not in outs}
        found = self.run(pure, args, inputs)
        given = [kwargs[name] for name in outs]
        for out, result in zip(given, found if len(given) > 1 else [found], strict=True):
            self._set(out, self.lift(result).value)
        return tuple(given) if len(given) > 1 else given[0]

    def _set(self, target: torch.Tensor, value: Any) -> torch.Tensor:
        held = self.lift(target)
        if held.box.fixed:
            raise NotBridged(f"it changes what {held.box.fixed} reads")
        if tuple(value.shape) != tuple(held.meta.shape):
            value = jnp.broadcast_to(value, tuple(held.meta.shape))
        held.box.put(value.astype(jax_dtype(held.meta.dtype)))
        return target


def _kept_in_shape(func: Any, args: Any) -> Any:
    """Detaching aside, what changes a tensor's own shape has no answer."""
    if func is torch.ops.aten.detach_.default:
        return args[0]
    raise NotBridged(f"{_name(func)} changes the shape of a tensor in place")


def _value(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, JaxTensor) else leaf


def _name(func: Any) -> str:
    return str(func).removeprefix("aten.").removesuffix(".default")


def _draws(func: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in func.tags


def _reads_values(func: Any) -> bool:
    """Operators that draw by the values they are given, and those that decompose into ones that
    do not."""
    name = func._schema.name.removeprefix("aten::")
    if func._overloadname in ("p", "float_float"):
        return func in decompositions()
    return func in decompositions() or name in ("bernoulli", "multinomial", "poisson", "normal")


def _blank(leaf: Any) -> Any:
    """A plain tensor of the same type: operators that draw look at no more."""
    if isinstance(leaf, JaxTensor):
        return torch.zeros_like(leaf.meta, device="cpu")
    return leaf


def _meta_of(value: Any) -> torch.Tensor:
    return torch.empty(value.shape, dtype=torch_dtype(value.dtype), device="meta")


def _odd(tensor: torch.Tensor) -> str:
    return "on the meta device" if tensor.device.type == "meta" else str(tensor.layout)
