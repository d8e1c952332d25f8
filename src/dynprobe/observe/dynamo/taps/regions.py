"""Which cache entries a `torch.compile` call looks at: from 2.13 on, `isolate_recompiles=True`
gives a call entries of its own on a code object."""

from __future__ import annotations

from types import CodeType

from ..records import EntryHandle
from .read import eval_frame


def in_region(code: CodeType, entries: list[EntryHandle]) -> list[EntryHandle]:
    """Those of `entries` that count for the `torch.compile` call that is compiling `code` now."""
    api = eval_frame()
    region = getattr(api, "get_eval_frame_isolate_recompiles_id", None)
    read = getattr(api, "_get_cache_entries_for_region", None)
    if region is None or read is None:
        return entries
    mine = {id(entry.guard_manager) for entry in read(code, region())}
    return [entry for entry in entries if id(entry.manager) in mine]
