"""Bad input that needs no torch: one sentence, exit code 2, nothing on stdout, no worker."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from dynprobe.cli import app, explain

TARGET = "pkg/m.py:f"


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an observation was started")

    monkeypatch.setattr(explain, "observed", refuse)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("explain", "error: missing argument 'TARGET'"),
        (f"explain {TARGET}", "error: no inputs are given"),
        (f"explain {TARGET}", f"dynprobe explain {TARGET} --shapes 4,5"),
        (f"explain {TARGET} --shapes 4 -c 4xf32", "error: --shapes and --call are given"),
        (f"explain {TARGET} --shapes 4 --inputs m:c", "error: --shapes and --inputs are given"),
        (f"explain {TARGET} --shapes 4xx5", "4xx5\n    ^"),
        (f"explain {TARGET} -c 4x8", "4x8xf32"),
        ("explain pkg/m.py --shapes 4", "pkg/m.py:fn"),
        (f"explain {TARGET} --inputs nocolon", "nocolon"),
        (f"explain {TARGET} --shapes 4 --dtype f99", "'f99' is not a dtype"),
        (f"explain {TARGET} --shapes 4 --timeout 0", "timeout is a number of seconds above 0"),
        (f"explain {TARGET} --shapes 4 --timeout soon", "invalid value for '--timeout'"),
        (f"explain {TARGET} --shapes 4 --repeat 0", "repeat is a whole number from 1"),
        (f"explain {TARGET} --shapes 4 --init purple", "init is one of randn"),
        (f"explain {TARGET} --shapes 4 --dynamic maybe", "invalid value for '--dynamic'"),
        (f"explain {TARGET} --shapes 4 --mark-dynamic x", "x:0"),
        (f"explain {TARGET} --shapes 4 --width 3", "invalid value for '--width'"),
        (f"explain {TARGET} --shape 4", "no such option: --shape"),
        (f"explain {TARGET} --shapes 4 -f yaml", "invalid value for '-f'"),
        (f"explain {TARGET} --shapes 4 -o r.html", "the format cannot be told from this name"),
        (f"explain {TARGET} --shapes 4 -o html=r.html", "html is no format, text or json is"),
        (f"explain {TARGET} --shapes 4 -o json=", "names no file"),
        (f"explain {TARGET} --shapes 4 -o no/r.json", "cannot write no/r.json: No such file"),
        (f"explain {TARGET} --shapes 4 -o json=.", "cannot write .: Is a directory"),
        (f"explain {TARGET} --shapes 4 -o r.json -o ./r.json", "--output names r.json twice"),
        (
            f"explain {TARGET} --shapes 4 --in-process --alone",
            "--in-process observes in this process alone, and --alone needs a process of its own",
        ),
        (
            f"explain {TARGET} --shapes 4 --in-process --alone --eager",
            "this process alone, and --alone and --eager need processes of their own",
        ),
        (f"{TARGET} --shapes 4", f"dynprobe explain {TARGET} --shapes 4"),
        ("explane m:f", "no such command 'explane'"),
        ("show", "missing argument 'REPORT.json'"),
        ("show gone.json", "cannot read gone.json: No such file or directory"),
    ],
)
def test_one_sentence(
    command: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert app.run(shlex.split(command)) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert out == ""
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_the_caret_is_under_the_place(capsys: pytest.CaptureFixture[str]) -> None:
    app.run(["explain", TARGET, "--call", "'色',4xq8"])
    _, typed, caret, *_ = capsys.readouterr().err.splitlines()
    assert typed == "  '色',4xq8"
    assert caret.index("^") == 9  # under the q: 色 takes two cells


def test_a_long_text_is_shown_around_the_caret(capsys: pytest.CaptureFixture[str]) -> None:
    app.run(["explain", TARGET, "--shapes", "4," * 200 + "?" + ",5" * 200])
    _, typed, caret, *_ = capsys.readouterr().err.splitlines()
    assert len(typed) < 130
    assert typed[caret.index("^")] == "?"


def test_escape_codes_that_were_typed_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    app.run(["explain", TARGET, "--shapes", "4,\x1b[31m"])
    app.run(["\x1b[31m"])
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert r"\x1b[31m" in err
