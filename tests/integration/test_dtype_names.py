"""The table of dtypes against torch itself, and the room's promise not to import it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from dynprobe.spec.dtypes import DTYPES, SPELLINGS, Dtype


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=lambda dtype: dtype.short)
def test_a_dtype_is_what_torch_says_it_is(dtype: Dtype) -> None:
    real = getattr(torch, dtype.torch_name)
    assert (str(real), real.itemsize) == (f"torch.{dtype.torch_name}", dtype.size)
    kind = "float" if real.is_floating_point else "complex" if real.is_complex else None
    assert (dtype.kind if dtype.differentiable else None) == kind
    assert torch.empty(2, dtype=real, requires_grad=dtype.differentiable).dtype == real


def test_short_names_are_those_of_fx() -> None:
    from torch.utils._dtype_abbrs import dtype_abbrs

    ours = {getattr(torch, dtype.torch_name): short for short, dtype in DTYPES.items()}
    assert ours.items() <= dtype_abbrs.items()


def test_what_torch_calls_a_dtype_stands_for_that_dtype() -> None:
    for name, short in SPELLINGS.items():
        if name.startswith("torch."):
            real = getattr(torch, name.removeprefix("torch."))
            assert real == getattr(torch, DTYPES[short].torch_name)


def test_reading_texts_imports_neither_torch_nor_numpy_nor_jax() -> None:
    code = (
        "import sys, dynprobe.spec.calls, dynprobe.spec.probe;"
        "print({'torch', 'numpy', 'jax'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
