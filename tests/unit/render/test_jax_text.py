"""What JAX did is on the screen, at every width."""

from __future__ import annotations

import re

import pytest

from dynprobe.diagnose.verdict import judge
from dynprobe.render import View, renderer
from dynprobe.report import Jax, Report


def shown(report: Report, **view: object) -> str:
    return renderer("text").render(report, View(**view))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_every_fact(canonical: Report, width: int) -> None:
    screen = re.sub(r"\s+", " ", shown(canonical, width=width))
    for text in (
        "through the bridge (the torch function itself, traced by jax)",
        "call 3 x is f32[5,8], was f32[4,8] in call 0",
        "d['[a]'] is f32[] weak (only the weak type differs), was f32[] in call 0",
        r"call 4 mode is '\x1b[31mred' (static), was 'sin' in call 0",
        "jaxpr of call 0 5 equations: sin ×3, add, dot_general f32[4,8] → f32[4,8]",
        "call 1 stale: result[0] got f32[2] [2, 2], un-jitted gives f32[2] [3, 3], by up to 1",
        "calls 5, 6 jax.errors.TracerBoolConversionError: Attempted boolean",
        "- jax.lax.cond chooses between two functions by a traced value",
        r"call 7 the bridge has no [operator] aten::\x1b[31mfoo",
        "narrowed (x64 is off): float64",
        "answered by a callback: aten::special_zeta",
        r"printed 'hi \x1b[31m': eager 3 of 11 calls, Dynamo 3 of 11, JAX 1 of 11 "
        "(call 0, while tracing)",
        "self.seen[b]: eager 3 of 11 calls, Dynamo 3 of 11, JAX 0 of 11",
    ):
        assert text.replace(" ", "") in screen.replace(" ", "")


def test_the_table_has_jax_beside_or_below(canonical: Report) -> None:
    wide, narrow = shown(canonical, width=200), shown(canonical, width=60)
    assert re.search(r"^ +# .* jax +why$", wide, re.MULTILINE)
    assert re.search(r"^ +jax hit stale$", narrow, re.MULTILINE)


def test_without_jax_one_line(canonical: Report) -> None:
    none = Jax(route=None, unavailable="jax is not installed (pip install 'dynprobe[jax]')")
    report = judge(canonical.model_copy(update={"jax": none}))
    screen = shown(report, width=120)
    assert "\nJAX: not installed (pip install 'dynprobe[jax]')\n" in screen
    assert "\nJAX\n" not in screen
    other = judge(canonical.model_copy(update={"jax": Jax(route=None, unavailable="m:f is gone")}))
    assert "\nJAX\n  unavailable: m:f is gone\n" in shown(other, width=120)


def test_the_verdict_has_a_clause(canonical: Report) -> None:
    assert canonical.verdict is not None
    said = "JAX: 3 traces, 2 hits, unavailable in 1 call, TracerBoolConversionError in calls 5, 6"
    assert f"{said}, stale in calls 1, 2" in canonical.verdict.text
