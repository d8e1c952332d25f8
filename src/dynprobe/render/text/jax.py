"""JAX: the route, why each trace was made, its program, errors, values that went stale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from dynprobe.diagnose.words import count, in_words
from dynprobe.render.base import View
from dynprobe.report import Call, CallError, Jax, JaxCall, JaxCause, JaxOffer, Jaxpr, Report

from .places import source_line
from .style import DIM, NAME, NEW, WARN, WRONG, line, lines_of, prose
from .wrap import fold

_TRACES = 12  # groups of traces told
_STALE = 6  # calls told
_KINDS = 10  # primitives told with their counts
_NAMES = 8  # operations told
_MESSAGE = 4  # lines of an error's message; all with -v
_ROUTE = {"bridge": "through the bridge (the torch function itself, traced by jax)"}
_NOT_INSTALLED = "not installed"


def is_missing(jax: Jax | None) -> bool:
    """Whether jax is not installed: one line among the settings says so."""
    return jax is not None and jax.route is None and _NOT_INSTALLED in (jax.unavailable or "")


def jax(report: Report, view: View) -> list[Text]:
    if report.jax is None or is_missing(report.jax):
        return []
    lines = fold(_route(report.jax), view.width, indent=2, hang=4)
    if report.jax.route is None:
        return lines
    for text, indent in (
        *_traces(report, view),
        *_programs(report.jax, view),
        *_stale(report, view),
        *_narrowed(report.jax, view),
    ):
        lines += fold(text, view.width, indent=indent, hang=4)
    return [*lines, *_errors(report, view)]


def _route(facts: Jax) -> Text:
    if facts.route is None:
        return line("unavailable: ", prose(facts.unavailable or "no reason is known"))
    said = line(f"twin {facts.target or '?'}" if facts.route == "twin" else _ROUTE["bridge"])
    options = [f"static_argnames {', '.join(facts.static_argnames)}"] * bool(facts.static_argnames)
    options += [f"{name}={value}" for name, value in facts.jit_options.items()]
    numbers = [count(facts.traces, "trace"), count(facts.hits, "hit"), count(facts.errors, "error")]
    version = [f"jax {facts.version}"] if facts.version else []
    return line(said, (" · " + " · ".join([", ".join(numbers), *version, *options]), DIM))


def _seen(report: Report) -> Iterator[tuple[Call, JaxCall]]:
    for call in report.calls:
        if call.jax is not None:
            yield call, call.jax


def _traces(report: Report, view: View) -> Iterator[tuple[Text, int]]:
    """Why each trace was made; those made for the same reasons are told together."""
    alike: dict[tuple[JaxCause, ...], list[int]] = {}
    for call, seen in _seen(report):
        if seen.causes:
            alike.setdefault(seen.causes, []).append(call.index)
    shown = list(alike.items())[: None if view.verbose else _TRACES]
    for causes, calls in shown:
        yield line((in_words(calls, "call"), NAME), "  ", _cause(causes[0])), 2
        for cause in causes[1:]:
            yield _cause(cause), 6
    if left := len(alike) - len(shown):
        yield line((f"and {count(left, 'more reason')} to trace (-v shows all)", DIM)), 2


def _cause(cause: JaxCause) -> Text:
    """`x is f32[5], was f32[4] in call 0`."""
    now = line((cause.now, NEW))
    said = line((cause.path, NAME), " is ", now) if cause.path else line(prose(cause.now))
    if cause.kind == "weak_type":
        said = line(said, " (only the weak type differs)")
    elif cause.kind == "static":
        said = line(said, " (static)")
    if cause.before is not None:
        said = line(said, f", was {cause.before}")
    return line(said, f" in call {cause.before_call}") if cause.before_call is not None else said


def _programs(facts: Jax, view: View) -> Iterator[tuple[Text, int]]:
    for program in facts.jaxprs[: None if view.verbose else _TRACES]:
        yield _program(program, view), 2
        for text in lines_of(program.text or ""):
            yield line(text), 6
    left = len(facts.jaxprs) - _TRACES
    if left > 0 and not view.verbose:
        yield line((f"and {count(left, 'more jaxpr')} (-v shows all)", DIM)), 2


def _program(program: Jaxpr, view: View) -> Text:
    ordered = sorted(program.primitives.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ordered if view.verbose else ordered[:_KINDS]
    names = [name if number == 1 else f"{name} ×{number:,}" for name, number in shown]
    names += ["…"] * (len(shown) < len(ordered))
    kinds = f": {', '.join(names)}" if names else ""
    consts = f"; closes over {', '.join(program.consts)}" if program.consts else ""
    inputs, outputs = (", ".join(t) or "nothing" for t in (program.inputs, program.outputs))
    types = f"{inputs} → {outputs}"
    head = line((f"jaxpr of call {program.call}", NAME), f"  {count(program.eqns, 'equation')}")
    return line(head, kinds, ("  ", DIM), (types + consts, DIM))


def _stale(report: Report, view: View) -> Iterator[tuple[Text, int]]:
    stale = [(call, seen) for call, seen in _seen(report) if seen.stale]
    shown = stale if view.verbose else stale[:_STALE]
    for call, seen in shown:
        yield _stale_row(call, seen), 2
        for change in seen.changes:
            got, gives = change.compiled or "as it was", change.eager or "as it was"
            yield line(f"{change.what} is ", (got, NEW), f", un-jitted gives {gives}"), 6
    if left := len(stale) - len(shown):
        yield line((f"and {count(left, 'more stale call')} (-v shows all)", DIM)), 2


def _stale_row(call: Call, seen: JaxCall) -> Text:
    head = line((f"call {call.index}", NAME), " ", ("stale", WARN), ": ")
    parted = seen.difference
    if parted is None:
        return line(head, "what it changes differs from the un-jitted call")
    where = f"result{parted.path} " if parted.path else ""
    said = line(head, where, "got ", (parted.compiled, NEW), f", un-jitted gives {parted.eager}")
    gap = f", by up to {parted.largest:.3g}" if parted.largest is not None else ""
    return line(said, (gap, DIM))


def _narrowed(facts: Jax, view: View) -> Iterator[tuple[Text, int]]:
    if facts.narrowed:
        yield line(("narrowed (x64 is off): ", DIM), ", ".join(facts.narrowed)), 2
    if facts.opened:
        yield line(("classes taken apart: ", DIM), ", ".join(facts.opened)), 2
    if facts.bridge is None:
        return
    for label, used in (
        ("answered by a callback", facts.bridge.callback),
        ("random numbers, drawn once, when traced", facts.bridge.random),
    ):
        if used:
            names = list(used) if view.verbose else list(used)[:_NAMES]
            more = f" and {len(used) - len(names)} more" if len(names) < len(used) else ""
            yield line((f"{label}: ", DIM), ", ".join(names) + more), 2


def _errors(report: Report, view: View) -> Iterator[Text]:
    """Each distinct error once, and each reason why nothing is known of a call."""
    alike: dict[tuple[CallError, tuple[JaxOffer, ...]], list[int]] = {}
    notes: dict[str, list[int]] = {}
    for call, seen in _seen(report):
        if seen.error and seen.outcome == "error":
            alike.setdefault((seen.error, seen.offers), []).append(call.index)
        elif seen.note:
            notes.setdefault(seen.note, []).append(call.index)
    for (error, offers), calls in alike.items():
        yield from _error(calls, error, offers, report, view)
    for note, calls in notes.items():
        said = line((in_words(calls, "call"), NAME), "  ", prose(note))
        yield from fold(said, view.width, indent=2, hang=4)


def _error(
    calls: Sequence[int], error: CallError, offers: Sequence[JaxOffer], report: Report, view: View
) -> Iterator[Text]:
    message = lines_of(error.message)
    first = f": {message[0]}" if message else ""
    head = line((in_words(calls, "call"), NAME), "  ", (error.type, WRONG), first)
    yield from fold(head, view.width, indent=2, hang=4)
    for more in message[1:] if view.verbose else message[1:_MESSAGE]:
        yield from fold(line(more), view.width, indent=6)
    if error.where:
        yield from source_line(error.where, report.cwd, view.width, indent=6)
    for offer in offers:
        said = line("- ", (offer.name, NAME), f" {prose(offer.text)}")
        yield from fold(said, view.width, indent=6)
