"""Arrays saved by numpy, as tensors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..target.names import near_file
from ..target.tracebacks import error_line
from .tensors import check_memory

if TYPE_CHECKING:
    import torch


def load_npy(path: str, device: str) -> torch.Tensor:
    """A fresh tensor with the values, shape and dtype of the array in the `.npy` file `path`.
    Raises InputError."""
    import torch

    array = _read(path)
    if array.dtype.byteorder not in ("=", "|"):
        array = array.astype(array.dtype.newbyteorder("="))
    try:
        return torch.from_numpy(array).to(device)
    except (TypeError, ValueError):
        raise InputError(f"'{path}' holds {array.dtype} values, which no tensor can hold") from None
    except RuntimeError as error:
        raise InputError(f"'{path}' cannot be put on {device}: {error_line(error)}") from None


def _read(path: str) -> Any:
    import numpy

    file = os.path.expanduser(path)
    if os.path.isdir(file):
        raise InputError(f"'{path}' is a directory, not a .npy file")
    if not os.path.exists(file):
        raise InputError(f"there is no file '{path}'{near_file(*os.path.split(path), '.npy')}")
    check_memory(os.path.getsize(file), f"'{path}'")
    try:
        array = numpy.load(file, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        said = str(error)
        if "Object arrays" in said:
            raise InputError(
                f"'{path}' holds Python objects, which are not loaded: that could run any code",
                hint="save the array with a numeric dtype",
            ) from None
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(f"'{path}' cannot be read: {error.strerror}") from None
        raise InputError(
            f"'{path}' is not a whole .npy file", hint="numpy.save(path, array) writes one"
        ) from None
    if not isinstance(array, numpy.ndarray):
        array.close()
        raise InputError(
            f"'{path}' is an archive of several arrays (.npz)",
            hint="save the one that is meant: numpy.save('x.npy', archive['x'])",
        )
    return array
