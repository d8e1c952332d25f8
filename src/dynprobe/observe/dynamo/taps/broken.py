"""What torch tells of a graph break: its text, its registry, where Dynamo could go on after it."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from ..records import Inside, Registered
from .read import RESUME_PREFIX, dynamo_module

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_RESUME_GLOBAL = "__resume_at_"


def break_text(error: BaseException | None) -> str:
    return str(getattr(error, "msg", None) or error or "")


def registry() -> dict[str, Registered]:
    """Kinds of break that torch ships a text of, by name. Empty where this torch has none."""
    path = Path(str(dynamo_module("exc").__file__)).with_name("graph_break_registry.json")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found: dict[str, Registered] = {}
    for gb_id, versions in raw.items():
        for version in reversed(versions):  # the newest is first; of two ids torch takes the last
            kind = str(version.get("Gb_type", "")).strip()
            hints = tuple(_whole(version.get("Hints", [])))
            found[kind] = Registered(gb_id, str(version.get("Explanation", "")), hints)
    return found


def _whole(parts: list[str]) -> Iterator[str]:
    """The hints of a registry entry, which were written as Python literals: what ends in a space
    and no full stop goes on in the next."""
    whole = ""
    for part in parts:
        whole += part
        if whole.endswith(" ") and not whole.rstrip().endswith((".", "`")):
            continue
        if " " in whole.strip():  # a lone word names a constant of torch's
            yield whole
        whole = ""
    if " " in whole.strip():
        yield whole


def is_generator(code: CodeType) -> bool:
    return bool(code.co_flags & _GENERATORS)


def translator_at(args: tuple[Any, ...]) -> Any:
    """What translates the frame that a break is reported of: the first argument of torch's report,
    before torch 2.10 the `self` of the method that makes it. To be called by a tap's own function
    (its caller's caller is asked)."""
    if args and _is_translator(args[0]):
        return args[0]
    found = sys._getframe(3).f_locals.get("self")
    return found if _is_translator(found) else None


def _is_translator(value: Any) -> bool:
    return hasattr(value, "block_stack") and hasattr(value, "current_instruction")


def gives_up_in_loop(translator: Any) -> bool:
    """Whether Dynamo, having reported a break here, gives the frame up for it is in a loop: before
    torch 2.10, whose text does not say so."""
    ask = getattr(translator, "maybe_has_backedge", None)
    return not hasattr(translator, "raise_loop_graph_break") and bool(ask and ask())


def kept_from_resuming(error: BaseException | None) -> Inside | None:
    """As `cannot_resume_inside`, of an exception that ended an attempt and that torch (before 2.10)
    did not report as a break."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        found = trace.tb_frame.f_locals.get("self")
        if trace.tb_frame.f_code.co_name == "step" and _is_translator(found):
            return cannot_resume_inside(found, error)
        trace = trace.tb_next
    return None


def cannot_resume_inside(translator: Any, error: BaseException | None) -> Inside | None:
    """What keeps Dynamo from going on after the instruction that `translator` (of the frame that
    is captured) is at, where it is one of the usual: None also where it could go on."""
    if getattr(translator, "active_generic_context_managers", None):
        return "with"
    blocks = list(getattr(translator, "block_stack", ()))
    entry = getattr(getattr(translator, "current_instruction", None), "exn_tab_entry", None)
    if entry is not None and not (blocks and entry.target is blocks[-1].target):
        return "with" if _leaves_a_with(translator, entry.target) else "try"
    if not all(block.can_restore() for block in blocks):
        return "with"
    return "generator" if _in_generator(error) else None


def _leaves_a_with(translator: Any, handler: Any) -> bool:
    """Whether an exception handler is that of a `with`: it calls `__exit__` first of all."""
    code = list(getattr(translator, "instructions", ()))
    start = next((i for i, instruction in enumerate(code) if instruction is handler), len(code))
    return any(i.opname == "WITH_EXCEPT_START" for i in code[start : start + 2])


def _in_generator(error: BaseException | None) -> bool:
    """Whether the break was met in the body of a generator that was being inlined."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_name == "step":
            code = getattr(frame.f_locals.get("self"), "f_code", None)
            if isinstance(code, CodeType) and code.co_flags & _GENERATORS:
                return True
        trace = trace.tb_next
    return False


def resume_codes(guarded: Any) -> list[CodeType]:
    """The resume functions that an entry's code goes on in: one, or one a side of a branch; none
    where the break is the last thing the frame does or its rest runs eagerly."""
    code = getattr(guarded, "code", None)
    if not isinstance(code, CodeType):
        return []
    scope = (guarded.guard_manager.global_scope or {}).get("G", {})
    values = [scope.get(name) for name in code.co_names if name.startswith(_RESUME_GLOBAL)]
    codes = [found for value in values for found in _codes_of(value)]
    codes += [const for const in code.co_consts if isinstance(const, CodeType)]
    return [found for found in codes if found.co_name.startswith(RESUME_PREFIX)]


def _codes_of(value: Any) -> Iterator[CodeType]:
    """A resume function's code; of one with a closure, the code that its factory holds."""
    own = getattr(value, "__code__", None)
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    yield from (code for code in (own, *cells) if isinstance(code, CodeType))
