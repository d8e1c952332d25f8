"""Every test sees the same environment, whoever runs it and where."""

from __future__ import annotations

import os

# What dynprobe, rich and torch read; pytest-xdist and many a CI set some of them.
for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TORCH_LOGS", "TORCH_TRACE"):
    os.environ.pop(name, None)
    os.unsetenv(name)  # GNU readline, which pytest imports, sets COLUMNS behind Python's back
for name in [name for name in os.environ if name.startswith(("DYNPROBE_", "TORCHDYNAMO_"))]:
    if name != "DYNPROBE_REWRITE_SNAPSHOTS":
        del os.environ[name]
