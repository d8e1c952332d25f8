"""Reading tensors from outside of whatever modes the user's code has put on."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator


@contextlib.contextmanager
def outside_modes() -> Iterator[None]:
    """No dispatch mode, function mode or tensor subclass sees an operation made in here, nor does
    Dynamo capture it."""
    dispatch = importlib.import_module("torch.utils._python_dispatch")
    core = importlib.import_module("torch._C")
    with dispatch._disable_current_modes(), core.DisableTorchFunction():
        yield
