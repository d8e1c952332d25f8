"""Values of tensors, carried over by copying: what one side changes later is not seen by the
other."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import torch

from ...dynamo.taps.outside import outside_modes
from .dtypes import jax_dtype, torch_dtype

# numpy has no dtype of its own for these: their bits go over as integers.
_BITS = {
    torch.bfloat16: torch.int16,
    torch.float8_e4m3fn: torch.uint8,
    torch.float8_e5m2: torch.uint8,
}


def to_jax(tensor: torch.Tensor) -> Any:
    """The values of a plain tensor, in the dtype that jax holds it in."""
    return jnp.array(to_array(tensor), copy=True)


def to_array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """The same as numpy's, made without jax: a kernel that jax calls back must not call jax."""
    with outside_modes(), torch.no_grad():
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        wanted = jnp.dtype(jax_dtype(plain.dtype))
        if plain.dtype in _BITS:
            bits = plain.contiguous().view(_BITS[plain.dtype]).numpy()
            array: np.ndarray[Any, Any] = bits.view(wanted)
        else:
            array = plain.numpy().astype(wanted, copy=False)
        return array


def to_torch(value: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A plain tensor of a concrete jax value, of `dtype` or of the one that the value has."""
    own = torch_dtype(value.dtype)
    array = np.array(value)  # a copy: jax's own is read-only
    with outside_modes():
        if own in _BITS:
            bits = array.view(np.int16 if own is torch.bfloat16 else np.uint8)
            tensor = torch.from_numpy(bits).view(own)
        else:
            tensor = torch.from_numpy(array)
        tensor = tensor.reshape(array.shape)
        return tensor if dtype is None else tensor.to(dtype)
