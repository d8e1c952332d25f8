"""The command line's words → a `Probe`. Everything that can be refused without torch is."""

from __future__ import annotations

import keyword
import shlex
from collections.abc import Sequence
from typing import Final

from dynprobe.errors import DynprobeError
from dynprobe.gate.limits import Limits
from dynprobe.spec.calls import parse_call, parse_shapes
from dynprobe.spec.model import CallSpec, Options, Probe
from dynprobe.spec.probe import check_options
from dynprobe.spec.target import parse_target

JAX_BY_DEFAULT: Final = False
"""Whether JAX is observed where no option asks for it."""


def make_probe(
    target: str,
    *,
    shapes: str | None,
    calls: Sequence[str],
    inputs: str | None,
    options: Options,
) -> Probe:
    """Raises DynprobeError, or GrammarError with the place in the text that is not read."""
    parsed = parse_target(target)
    _exactly_one(target, shapes, calls, inputs)
    checked = check_options(options)
    if checked.setup is not None:
        parse_target(checked.setup)
    if checked.twin is not None:
        parse_target(checked.twin)
    if inputs is not None:
        parse_target(inputs)
        return Probe(target=parsed, inputs=inputs, options=checked)
    return Probe(target=parsed, calls=_calls(shapes, calls, checked.dtype), options=checked)


def check_process(options: Options, *, in_process: bool) -> None:
    """Raises DynprobeError where `--in-process` comes with what needs a process of its own."""
    needing = {"--alone": options.alone, "--eager": options.eager, "--jax": bool(options.twin)}
    asked = [name for name, given in needing.items() if given]
    if in_process and asked:
        needs = "need processes" if len(asked) > 1 else "needs a process"
        raise DynprobeError(
            f"--in-process observes in this process alone, and {' and '.join(asked)} {needs} of "
            f"{'their' if len(asked) > 1 else 'its'} own",
            hint="leave one of them out",
        )


def check_jax(options: Options, limits: Limits, *, no_jax: bool) -> None:
    """Raises DynprobeError where what is said of JAX comes with what leaves it out."""
    asked = {
        "--jax": options.twin is not None,
        "--static-argnames": bool(options.static_argnames),
        "--jaxpr": options.jaxpr,
        "--require-jax": limits.require_jax,
        "--max-jax-traces": limits.max_jax_traces is not None,
    }
    first = next((name for name, given in asked.items() if given), None)
    if first is not None and not options.jax:
        out = "--no-jax" if no_jax else "--in-process"
        raise DynprobeError(f"{out} leaves JAX out, and {first} needs it", hint="leave one out")


def names_of(text: str | None) -> tuple[str, ...]:
    """`a,b`: the names of arguments. Raises DynprobeError where one is no name."""
    if text is None:
        return ()
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise DynprobeError(
                f"--static-argnames has names of arguments, and {name!r} is none",
                hint="for example: --static-argnames mode,n",
            )
    return tuple(dict.fromkeys(names))


def _exactly_one(target: str, shapes: str | None, calls: Sequence[str], inputs: str | None) -> None:
    forms = {"--shapes": shapes is not None, "--call": bool(calls), "--inputs": inputs is not None}
    given = [name for name, is_given in forms.items() if is_given]
    if not given:
        example = f"dynprobe explain {shlex.quote(target)} --shapes 4,5"
        raise DynprobeError(
            "no inputs are given: one of --shapes, --call and --inputs says what to call with",
            hint=f"for example: {example}",
        )
    if len(given) > 1:
        raise DynprobeError(
            f"{' and '.join(given)} are given: inputs come in one of these forms",
            hint="--call is repeatable and says all that --shapes can: --call 4xf32 --call 5xf32",
        )


def _calls(shapes: str | None, calls: Sequence[str], dtype: str) -> tuple[CallSpec, ...]:
    if shapes is not None:
        return parse_shapes(shapes, dtype)
    return tuple(parse_call(call) for call in calls)
