"""The taps into TorchDynamo: the only room that names private torch API (a test holds it to that).

Checked on torch 2.13.0. What another version does not have is reported as unknown, never guessed.
"""

from __future__ import annotations

from .broken import break_text, registry, resume_codes
from .compiled import (
    compile_options,
    compiled_function,
    compiled_original,
    in_place_call,
    is_module,
)
from .read import (
    RESUME_PREFIX,
    backend_of,
    cache_entries,
    check_verbose,
    config_patch,
    default_recompile_limit,
    dispatch_keys,
    dynamo_disabled,
    global_state,
    guard_info,
    guard_scope,
    guarded_entry,
    is_dynamo_file,
    is_inlining,
    leaf_guards,
    mark_dynamic,
    marked_dims,
    never_trace,
    placeholder_source,
    plain_look,
    quiet_warnings,
    resolve_backend,
    torch_version,
    unbacked_dims,
    watch_entry,
    watch_tries,
)
from .shapes import expression, is_listed_dynamic, shape_range, symbols
from .state import DynamoState
from .wrap import Sink, Taps

__all__ = [
    "RESUME_PREFIX",
    "DynamoState",
    "Sink",
    "Taps",
    "backend_of",
    "break_text",
    "cache_entries",
    "check_verbose",
    "compile_options",
    "compiled_function",
    "compiled_original",
    "config_patch",
    "default_recompile_limit",
    "dispatch_keys",
    "dynamo_disabled",
    "expression",
    "global_state",
    "guard_info",
    "guard_scope",
    "guarded_entry",
    "in_place_call",
    "is_dynamo_file",
    "is_inlining",
    "is_listed_dynamic",
    "is_module",
    "leaf_guards",
    "mark_dynamic",
    "marked_dims",
    "never_trace",
    "placeholder_source",
    "plain_look",
    "quiet_warnings",
    "registry",
    "resolve_backend",
    "resume_codes",
    "shape_range",
    "symbols",
    "torch_version",
    "unbacked_dims",
    "watch_entry",
    "watch_tries",
]
