"""What a person would write to call the Llama of `examples/hf.py` compiled; `startup.py` runs
it."""

import torch
from hf import llama

compiled = torch.compile(llama, backend="eager")
for length in (8, 9):
    compiled(input_ids=torch.randint(100, (2, length)))
