"""The options about JAX that are refused before anything runs."""

from __future__ import annotations

import pytest

from dynprobe.cli import app
from dynprobe.cli.order import names_of
from dynprobe.errors import DynprobeError


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--no-jax", "--jax", "m:f"], "--no-jax leaves JAX out, and --jax needs it"),
        (["--no-jax", "--jaxpr"], "--no-jax leaves JAX out, and --jaxpr needs it"),
        (["--no-jax", "--max-jax-traces", "0"], "and --max-jax-traces needs it"),
        (["--in-process", "--require-jax"], "--in-process leaves JAX out, and --require-jax"),
        (["--in-process", "--jax", "m:f"], "and --jax needs a process of its own"),
        (["--jax", "nocolon"], "nocolon"),
        (["--static-argnames", "a,1b"], "--static-argnames has names of arguments, and '1b'"),
        (["--max-jax-traces", "-1"], "--max-jax-traces"),
    ],
)
def test_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["explain", "m:f", "--shapes", "4", *words]) == 2
    assert said in capsys.readouterr().err


def test_names() -> None:
    assert names_of(None) == ()
    assert names_of("mode, n,mode") == ("mode", "n")
    for text in ("", "a,", "a b", "if"):
        with pytest.raises(DynprobeError):
            names_of(text)
