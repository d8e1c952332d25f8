"""Tensors and arrays as `Data`, within a budget of bytes."""

from __future__ import annotations

import hashlib
import math
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import numpy as np

from ..dynamo.taps.outside import outside_modes
from .nodes import Data

SMALL = 64  # elements that are kept whatever the budget is
PER_CALL = 128 << 20
IN_ALL = 1 << 30
"""Bytes of values that one call, and one recording, keep in full."""

MOST_SUMMED = 4 << 30  # bytes of one tensor that are read for its checksum
SAMPLE = 1 << 16  # elements that stand for a tensor that is not kept
_CHUNK = 1 << 24

# What numpy has no dtype for, and what holds it exactly.
_WIDER = {"bfloat16": "float32"}


class Budget:
    """What is left to keep of this call and of the recording."""

    def __init__(self) -> None:
        self._in_all = IN_ALL
        self._call = PER_CALL
        self._known: frozenset[str] = frozenset()

    def begin_call(self) -> None:
        self._call = min(PER_CALL, self._in_all)
        self._known = frozenset()

    def knows(self, sums: frozenset[str]) -> None:
        """Tensors of these checksums are as they were, and told by them alone."""
        self._known = sums

    def wants(self, data: Data) -> bool:
        return data.sum not in self._known

    def takes(self, size: int) -> bool:
        if size > self._call:
            return False
        self._call -= size
        self._in_all -= size
        return True


def tensor_data(tensor: Any, budget: Budget | None) -> Data:
    """`tensor`'s type, checksum and values. Without a budget only small ones keep their values.
    A tensor that has none to read (meta, fake, of a class that answers for itself) has its type
    alone, and "" as checksum."""
    import torch

    with quietly():
        data = Data(
            str(tensor.dtype).removeprefix("torch."),
            tuple(int(size) for size in tensor.shape),
            str(tensor.device),
            bool(tensor.requires_grad),
            str(tensor.layout).removeprefix("torch."),
        )
        if not _readable(tensor, torch):
            return data
        plain = tensor.detach()
        if plain.layout != torch.strided:
            plain = _of_sparse(plain, torch)
        if plain is not None:
            _fill(data, plain, budget, torch)
    return data


def quietly() -> AbstractContextManager[object]:
    """No mode, hook or recording of the user's or torch's sees what is done here."""
    import torch

    held = ExitStack()
    held.enter_context(outside_modes())
    held.enter_context(torch.no_grad())
    return held


def _readable(tensor: Any, torch: Any) -> bool:
    """Whether reading its values runs no code but torch's own."""
    if tensor.device.type == "meta" or tensor.is_quantized or tensor.is_nested:
        return False
    own = type(tensor).__torch_dispatch__
    return own in (torch.Tensor.__torch_dispatch__, torch.nn.Parameter.__torch_dispatch__)


def _of_sparse(tensor: Any, torch: Any) -> Any | None:
    """The values of a sparse tensor and where they lie, as one flat tensor."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce()
        parts = [tensor.indices(), tensor.values()]
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        parts = [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    else:
        return None
    wide = torch.complex128 if tensor.dtype.is_complex else torch.float64
    return torch.cat([part.to(wide).reshape(-1) for part in parts])


def _fill(data: Data, tensor: Any, budget: Budget | None, torch: Any) -> None:
    size = tensor.numel() * tensor.element_size()
    if size > MOST_SUMMED:
        data.sample = _as_array(_sampled(tensor, torch), torch)
        return
    array = _as_array(tensor, torch)
    data.sum = checksum(array)
    _keep(data, array, budget)


def _keep(data: Data, array: np.ndarray[Any, Any], budget: Budget | None) -> None:
    """The values, where they are few or the budget takes them, else a sample."""
    wanted = budget is not None and budget.wants(data)
    if array.size <= SMALL or (wanted and budget is not None and budget.takes(array.nbytes)):
        data.values = array.copy()
    elif wanted:
        data.sample = array.reshape(-1)[_at_equal_distances(array.size)]


def array_data(array: np.ndarray[Any, Any], budget: Budget | None) -> Data | None:
    """The same of a numpy array or scalar; None where it holds objects."""
    plain = np.asarray(array)
    if plain.dtype.hasobject:
        return None
    data = Data(str(plain.dtype), plain.shape, layout="strided")
    if plain.nbytes > MOST_SUMMED:
        data.sample = plain.reshape(-1)[_at_equal_distances(plain.size)]
        return data
    data.sum = checksum(plain)
    _keep(data, plain, budget)
    return data


def _at_equal_distances(count: int) -> np.ndarray[Any, Any]:
    return np.linspace(0, count - 1, min(SAMPLE, count)).astype(np.int64)


def _sampled(tensor: Any, torch: Any) -> Any:
    """Elements at equal distances, without a copy of the whole."""
    places = np.unravel_index(_at_equal_distances(tensor.numel()), tuple(tensor.shape))
    return tensor[tuple(torch.from_numpy(place).to(tensor.device) for place in places)]


def _as_array(tensor: Any, torch: Any) -> np.ndarray[Any, Any]:
    """On the CPU, in a dtype that numpy has and that holds each value exactly."""
    name = str(tensor.dtype).removeprefix("torch.")
    if name in _WIDER:
        tensor = tensor.to(getattr(torch, _WIDER[name]))
    elif name.startswith("float8"):
        tensor = tensor.to(torch.float32)
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    array: np.ndarray[Any, Any]
    if name == "complex32":
        halves = torch.view_as_real(tensor).numpy().astype(np.float32)
        return np.ascontiguousarray(halves).view(np.complex64)[..., 0]
    try:
        array = tensor.numpy()
    except TypeError:  # packed and narrow dtypes: their bytes
        array = tensor.contiguous().view(torch.uint8).numpy()
    return array


def checksum(array: np.ndarray[Any, Any]) -> str:
    """Of dtype, shape and all bytes."""
    found = hashlib.blake2b(f"{array.dtype.str}{array.shape}".encode(), digest_size=16)
    if array.flags.c_contiguous:
        if array.size:
            found.update(array.data.cast("B"))
        return found.hexdigest()
    step = max(1, _CHUNK // max(1, array.nbytes // max(1, math.prod(array.shape[:1]))))
    for start in range(0, array.shape[0], step):
        found.update(np.ascontiguousarray(array[start : start + step]).tobytes())
    return found.hexdigest()
