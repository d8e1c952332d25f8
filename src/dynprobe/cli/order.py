"""The command line's words → a `Probe`. Everything that can be refused without torch is."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from dynprobe.errors import DynprobeError
from dynprobe.spec.calls import parse_call, parse_shapes
from dynprobe.spec.model import CallSpec, Options, Probe
from dynprobe.spec.probe import check_options
from dynprobe.spec.target import parse_target


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
    if inputs is not None:
        parse_target(inputs)
        return Probe(target=parsed, inputs=inputs, options=checked)
    return Probe(target=parsed, calls=_calls(shapes, calls, checked.dtype), options=checked)


def check_process(options: Options, *, in_process: bool) -> None:
    """Raises DynprobeError where `--in-process` comes with what needs a process of its own."""
    asked = [f"--{name}" for name in ("alone", "eager") if getattr(options, name)]
    if in_process and asked:
        needs = "need processes" if len(asked) > 1 else "needs a process"
        raise DynprobeError(
            f"--in-process observes in this process alone, and {' and '.join(asked)} {needs} of "
            f"{'their' if len(asked) > 1 else 'its'} own",
            hint="leave one of them out",
        )


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
