"""TensorSpec → tensor: the same values for the same seed and place, on every device.

torch's global random state is neither read nor moved.
"""

from __future__ import annotations

import difflib
import hashlib
from math import prod
from typing import TYPE_CHECKING

from ...errors import InputError
from ...spec.dtypes import DTYPES, Dtype, canonical_dtype, nearest_dtype
from ...spec.model import Init, Options, TensorSpec
from ..target.tracebacks import error_line
from .memory import bytes_text, free_bytes

if TYPE_CHECKING:
    import torch

_UNKNOWN_FREE = 1 << 50  # a petabyte is refused even where the system does not tell what is free
_RANDINT_HIGH = 10


def dtype_of(spec: TensorSpec, options: Options) -> Dtype:
    """The dtype of `spec`, the probe's default where it names none. Raises InputError."""
    name = spec.dtype or options.dtype
    short = canonical_dtype(name)
    if short is None:
        near = nearest_dtype(name)
        raise InputError(
            f"'{name}' is no dtype{f': did you mean {near!r}?' if near else ''}",
            hint=f"known are {', '.join(DTYPES)}",
        )
    return DTYPES[short]


def tensor_bytes(spec: TensorSpec, options: Options) -> int:
    """Bytes of memory that making `spec` asks for."""
    spread = 2 if spec.layout == "noncontiguous" else 1
    return prod(spec.shape) * dtype_of(spec, options).size * spread


def check_memory(asked: int, what: str) -> None:
    """Raise InputError where `asked` bytes are more than there is memory."""
    free = free_bytes()
    if asked > (_UNKNOWN_FREE if free is None else free):
        known = "" if free is None else f"; {bytes_text(free)} of memory are free"
        raise InputError(f"{what} asks for {bytes_text(asked)}{known}", hint="use smaller sizes")


def check_device(name: str) -> torch.device:
    """The device `name`, once a tensor could be put there. Raises InputError."""
    import torch

    try:
        device = torch.device(name)
    except RuntimeError:
        kinds = ("cpu", "cuda", "mps", "xpu", "meta")
        near = difflib.get_close_matches(name, kinds, n=1)
        meant = {"gpu": "cuda"}.get(name) or (near[0] if near else None)
        said = f": did you mean '{meant}'?" if meant else ", such as cpu, cuda or cuda:0"
        raise InputError(f"'{name}' is no device of torch{said}") from None
    try:
        torch.empty(0, device=device)
    except Exception as error:
        raise InputError(f"device '{name}' cannot be used here: {error_line(error)}") from None
    return device


def make_tensor(spec: TensorSpec, options: Options, place: str) -> torch.Tensor:
    """A fresh tensor. `place` names the argument: with `options.seed` it decides the values.

    Without an init of their own, floats and complex numbers are filled as `options.init` says,
    integers with 0, which indexes any dimension of size 1 or more, and bools with True, False,
    True, … Raises InputError for what cannot be had, with the tensor as it was asked for.
    """
    import torch

    dtype = dtype_of(spec, options)
    check_memory(tensor_bytes(spec, options), f"'{spec}'")
    _refuse(spec, dtype)
    try:
        # The target may have left a mode or a default device behind.
        with torch.inference_mode(False), torch.no_grad(), torch.device("cpu"):
            tensor = _filled(spec, dtype, options, place)
            tensor = _laid_out(tensor.to(options.device), spec)
            return tensor.requires_grad_() if spec.requires_grad else tensor
    except (RuntimeError, MemoryError, OverflowError, TypeError, ValueError) as error:
        raise InputError(f"'{spec}' cannot be made: {error_line(error)}") from None


def _refuse(spec: TensorSpec, dtype: Dtype) -> None:
    def refuse(why: str) -> None:
        raise InputError(f"'{spec}' cannot be made: {why}")

    if spec.requires_grad and not dtype.differentiable:
        refuse(
            f"{dtype.short} tensors cannot require grad, only floating-point and complex ones can"
        )
    if spec.init in ("randn", "rand") and not dtype.differentiable:
        refuse(f":{spec.init} gives fractions, which {dtype.short} cannot hold; write :randint=100")
    if spec.layout == "channels_last" and len(spec.shape) not in (4, 5):
        refuse(f"channels_last needs 4 or 5 dimensions, and this one has {len(spec.shape)}")
    if spec.layout == "noncontiguous" and prod(spec.shape) < 2:
        refuse("a tensor of fewer than 2 elements is always contiguous")


def _filled(spec: TensorSpec, dtype: Dtype, options: Options, place: str) -> torch.Tensor:
    import torch

    target: torch.dtype = getattr(torch, dtype.torch_name)
    init = spec.init or _default_init(dtype, options)
    if options.device.startswith("meta"):
        return torch.empty(spec.shape, dtype=target, device="meta")
    if init == "empty":
        return torch.empty(spec.shape, dtype=target)
    if init in ("randn", "rand", "randint"):
        return _random(spec, dtype, init, _generator(options.seed, place)).to(target)
    count = prod(spec.shape)
    if init == "zeros":
        values = torch.zeros(count)
    elif init == "ones":
        values = torch.ones(count)
    elif dtype.kind == "bool":
        values = torch.arange(count) % 2 == 0
    else:
        values = torch.arange(count)
    return values.to(target).reshape(spec.shape)


def _default_init(dtype: Dtype, options: Options) -> Init:
    if dtype.differentiable:
        return options.init
    return "zeros" if dtype.kind == "int" else "arange"


def _generator(seed: int, place: str) -> torch.Generator:
    """A stream of its own for each seed and argument: how many other values were made, and in
    which call, changes nothing, so the same text gives the same values in every call."""
    import torch

    digest = hashlib.blake2b(f"{seed}:{place}".encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)


def _random(spec: TensorSpec, dtype: Dtype, init: Init, generator: torch.Generator) -> torch.Tensor:
    """In a dtype that torch has a random kernel for; the caller casts. Lower precisions are
    thereby rounded values of the same numbers."""
    import torch

    if init == "randint":
        high = spec.high or (2 if dtype.kind == "bool" else _RANDINT_HIGH)
        _check_high(spec, dtype, high)
        return torch.randint(high, spec.shape, generator=generator, dtype=torch.int64)
    if dtype.kind == "complex":
        wide = torch.complex128 if dtype.short == "c128" else torch.complex64
    else:
        wide = torch.float64 if dtype.short == "f64" else torch.float32
    make = torch.randn if init == "randn" else torch.rand
    values = make(spec.shape, generator=generator, dtype=wide)
    return values.abs() if dtype.short == "f8e8m0fnu" else values  # it has no sign


def _check_high(spec: TensorSpec, dtype: Dtype, high: int) -> None:
    import torch

    if dtype.kind == "int":
        limit = torch.iinfo(getattr(torch, dtype.torch_name)).max + 1
    else:
        limit = 2 if dtype.kind == "bool" else 2**63
    if high > min(limit, 2**63 - 1):
        said = f"randint={high} is more than {dtype.short} can hold (at most {limit:,})"
        raise InputError(f"'{spec}' cannot be made: {said}")


def _laid_out(tensor: torch.Tensor, spec: TensorSpec) -> torch.Tensor:
    import torch

    if spec.layout == "channels_last":
        layout = torch.channels_last if tensor.dim() == 4 else torch.channels_last_3d
        return tensor.contiguous(memory_format=layout)
    if spec.layout == "noncontiguous":
        return _every_other(tensor)
    return tensor


def _every_other(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with a stride of 2 along the last dimension that has more than one element
    (the stride of a dimension of size 1 makes nothing noncontiguous)."""
    dim = max(d for d, size in enumerate(tensor.shape) if size > 1)
    sizes = list(tensor.shape)
    sizes[dim] *= 2
    index = [slice(None)] * tensor.dim()
    index[dim] = slice(None, None, 2)
    view = tensor.new_zeros(sizes)[tuple(index)]
    view.copy_(tensor)
    return view
