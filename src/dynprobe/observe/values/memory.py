"""How much memory is free, and amounts of it in words."""

from __future__ import annotations

import os
from pathlib import Path

_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def free_bytes() -> int | None:
    """Bytes that can be had without swapping, None where the system does not tell.

    Linux's own estimate counts what its caches can give back; elsewhere free pages are counted.
    """
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):  # a name this system does not know
        return None


def bytes_text(count: int) -> str:
    """`4,096 bytes (4.0 KiB)`; below 1 KiB without the second form."""
    exact = f"{count:,} bytes"
    if count < 1024:
        return exact
    power = min((count.bit_length() - 1) // 10, len(_UNITS))
    return f"{exact} ({count / 1024**power:,.1f} {_UNITS[power - 1]})"
