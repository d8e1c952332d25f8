"""What jax is given to run: the torch function through the bridge, or the twin that the user
names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import jax
import torch

from ...errors import TargetError
from ...report import BridgeUse, Jax
from ...spec.model import Options
from ..target.load import LoadedTarget, describe, load_object
from .bridge.call import Bridged
from .bridge.dtypes import is_narrowed
from .bridge.values import to_jax, to_torch

_TRUST = {
    "twin": "observed: the function you named, under jax.jit",
    "bridge": "observed through the bridge: your torch function itself, traced by jax",
}


class Subject(Protocol):
    """`jit` is what stands for `jax.jit(f)`, `plain` the same without jit. `traces` counts how
    often Python ran; `loaded` is whose state is recorded."""

    loaded: LoadedTarget
    jit: Any
    signature: inspect.Signature | None

    @property
    def traces(self) -> int: ...
    @property
    def plain(self) -> Callable[..., Any]: ...
    def arguments(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]: ...
    def result(self, value: Any) -> Any: ...
    def facts(self) -> Jax: ...


def subject_of(loaded: LoadedTarget, options: Options, *, concrete: bool) -> Subject:
    """Raises TargetError where the twin cannot be loaded or jax.jit does not take it."""
    if options.twin is not None:
        return Twin(options)
    return Bridge(loaded, options, concrete=concrete)


def _jitted(function: Callable[..., Any], options: Options) -> Any:
    names = list(options.static_argnames)
    try:
        return jax.jit(function, static_argnames=names) if names else jax.jit(function)
    except (TypeError, ValueError) as error:
        raise TargetError(f"jax.jit does not take it: {error}") from None


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


class Bridge:
    """The torch function itself."""

    def __init__(self, loaded: LoadedTarget, options: Options, *, concrete: bool) -> None:
        self.loaded = loaded
        self._options = options
        self._bridged = Bridged(loaded.callable, concrete=concrete)
        self._narrowed: dict[str, None] = {}
        self.signature = _signature(loaded.callable)
        self.jit = _jitted(self._bridged.traced, options)

    @property
    def plain(self) -> Callable[..., Any]:
        return self._bridged.traced

    @property
    def traces(self) -> int:
        return self._bridged.traces

    def arguments(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        for leaf in jax.tree_util.tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor) and is_narrowed(leaf.dtype):
                self._narrowed[_short(leaf.dtype)] = None
        return self._bridged.arguments(args, kwargs)

    def result(self, value: Any) -> Any:
        return self._bridged.plain(value)

    def facts(self) -> Jax:
        used = self._bridged.used
        return _facts(
            route="bridge",
            options=self._options,
            loaded=self.loaded,
            narrowed=tuple(self._narrowed),
            opened=tuple(self._bridged.opened),
            bridge=BridgeUse(
                native=dict(used.native),
                decomposed=dict(used.decomposed),
                callback=dict(used.callback),
                random=dict(used.random),
            ),
        )


class Twin:
    """A function of jax that the user names. One that is jitted already keeps its options."""

    def __init__(self, options: Options) -> None:
        assert options.twin is not None
        found = load_object(options.twin, options)
        if isinstance(found, type):
            found = found()
        if not callable(found):
            raise TargetError(f"--jax {options.twin} is {type(found).__name__}, not a function")
        self._options = options
        self._is_jitted = hasattr(found, "lower") and hasattr(found, "__wrapped__")
        inner = inspect.unwrap(found) if self._is_jitted else found
        self.loaded = describe(inner, spec=options.twin)
        self.signature = _signature(inner)
        self._ran = 0
        self.jit = self._counting_jit(found, inner, options)
        self._inner = inner

    @property
    def traces(self) -> int:
        return self._ran

    def _counting_jit(self, found: Any, inner: Any, options: Options) -> Any:
        if self._is_jitted:
            if options.static_argnames:
                raise TargetError(
                    f"--jax {options.twin} is jitted already, with options of its own",
                    hint="leave --static-argnames out",
                )
            return found
        return _jitted(self._counted(inner), options)

    def _counted(self, inner: Any) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self._ran += 1
            return inner(*args, **kwargs)

        with suppress(TypeError, AttributeError):
            functools.update_wrapper(counted, inner)
        if self.signature is not None:
            counted.__signature__ = self.signature  # type: ignore[attr-defined]
        return counted

    def ran(self, code: object) -> None:
        """Once more: told by whoever watches the code of a twin that was jitted already."""
        self._ran += 1

    @property
    def watched(self) -> Any | None:
        """The code to watch, of a twin that was jitted already: nothing of ours is inside it."""
        return self.loaded.code if self._is_jitted else None

    @property
    def plain(self) -> Callable[..., Any]:
        def unjitted(*args: Any, **kwargs: Any) -> Any:
            with jax.disable_jit():
                return self._inner(*args, **kwargs)

        return unjitted

    def arguments(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        given: tuple[Any, dict[str, Any]] = jax.tree_util.tree_map(
            lambda leaf: to_jax(leaf) if isinstance(leaf, torch.Tensor) else leaf, (args, kwargs)
        )
        return given

    def result(self, value: Any) -> Any:
        return jax.tree_util.tree_map(
            lambda leaf: to_torch(leaf) if isinstance(leaf, jax.Array) else leaf, value
        )

    def facts(self) -> Jax:
        return _facts(route="twin", options=self._options, loaded=self.loaded)


def _facts(route: Any, options: Options, loaded: LoadedTarget, **more: Any) -> Jax:
    return Jax(
        route=route,
        trust=_TRUST[route],
        target=options.twin,
        file=loaded.file,
        line=loaded.line,
        version=jax.__version__,
        x64=bool(jax.config.jax_enable_x64),
        static_argnames=options.static_argnames,
        **more,
    )


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
