"""What a person would write to call `f` compiled; `startup.py` runs it."""

import torch
from first_steps import f

compiled = torch.compile(f, backend="eager")
for size in (4, 4, 5, 6):
    compiled(torch.randn(size))
