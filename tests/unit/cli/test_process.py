"""The command as a process: what it imports, `| head`, a fault of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dynprobe.cli import app, show
from dynprobe.errors import InternalError

HEAVY = ("torch", "jax", "numpy", "rich", "dynprobe.report")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["-V"], ["explain", "--help"], []]
)
def test_help_and_version_import_nothing_large(arguments: list[str]) -> None:
    script = (
        "import sys; from dynprobe.cli.app import run; code = run(sys.argv[1:]); "
        f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"
    assert done.stdout.startswith(("Usage: dynprobe", "dynprobe 0"))


def test_version_names_all_four() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dynprobe", "--version"], capture_output=True, text=True, check=True
    )
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["dynprobe", "torch", "jax", "Python"]


def test_a_reader_that_goes_away_is_no_error(canonical_path: Path) -> None:
    words = [sys.executable, "-m", "dynprobe", "show", str(canonical_path), "-f", "json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0  # as without `| head`


def test_a_full_disk_is_told(canonical_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    words = [sys.executable, "-m", "dynprobe", "show", str(canonical_path)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize("error", [ZeroDivisionError("by\x1b[31m"), InternalError("by\x1b[31m")])
def test_a_fault_of_our_own(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(name: str) -> None:
        raise error

    monkeypatch.setattr(show, "read_report", fail)
    assert app.run(["show", "r.json"]) == 4
    err = capsys.readouterr().err
    assert err.startswith("error: a fault of dynprobe itself: ")
    assert r"by\x1b[31m" in err
    assert "please report it" in err
    assert "Traceback" not in err


def test_the_traceback_of_a_fault_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(name: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(show, "read_report", fail)
    monkeypatch.setenv("DYNPROBE_TRACEBACK", "1")
    assert app.run(["show", "r.json"]) == 4
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_interrupt_is_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(show, "read_report", interrupt)
    assert app.run(["show", "r.json"]) == 130
    assert capsys.readouterr().err == "interrupted\n"
