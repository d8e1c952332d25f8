"""Saved reports: rendered as the first time, or refused in one sentence."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from dynprobe.cli.app import run
from dynprobe.render import View, renderer
from dynprobe.report import Report
from dynprobe.report.schema import report_schema_text


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    assert capsys.readouterr().out == report_schema_text()


@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("output_format", ["text", "json"])
def test_as_the_first_time(
    canonical: Report,
    canonical_path: Path,
    width: int,
    output_format: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["show", str(canonical_path), "--width", str(width), "-f", output_format]) == 0
    expected = renderer(output_format).render(canonical, View(width=width))
    assert capsys.readouterr().out == expected


def test_files_and_stdout_hold_the_same_report(
    canonical: Report, canonical_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, data = tmp_path / "r.txt", tmp_path / "data"
    words = ["show", str(canonical_path), "-o", str(text), "-o", f"json={data}"]
    assert run([*words, "--width", "80", "--color", "always", "--all-guards"]) == 0
    view = View(width=80, all_guards=True)
    assert text.read_text(encoding="utf-8") == renderer("text").render(canonical, view)
    assert data.read_bytes() == canonical_path.read_bytes()
    assert "\x1b[" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "r.txt"]


def test_from_stdin(
    canonical_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(canonical_path.read_bytes())))
    assert run(["show", "-", "-q"]) == 0
    assert "11 calls" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not whole JSON"),
        (b'{"schema_version": 1, "target": {', "is not whole JSON: reading stops at line 1"),
        (b"[1, 2]", "is not a dynprobe report: no schema_version"),
        (b'{"name": "package"}', "is not a dynprobe report: no schema_version"),
        (b'{"schema_version": true}', "is not a dynprobe report: no schema_version"),
        (b'{"schema_version": 2}', "has schema_version 2, and this dynprobe reads up to 1"),
        (b'{"schema_version": 1}', "is not a dynprobe report: at target: Field required"),
        (b"[" * 100_000, "is not whole JSON"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_refused(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    assert run(["show", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_a_report_cut_short_anywhere_is_refused(
    canonical_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = canonical_path.read_bytes().rstrip()
    path = tmp_path / "r.json"
    for size in range(1, len(whole), len(whole) // 20):
        path.write_bytes(whole[:size])
        assert run(["show", str(path)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_unknown_key_is_refused(
    canonical_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = json.loads(canonical_path.read_text(encoding="utf-8"))
    value["calls"][0]["surprise"] = 1
    path = tmp_path / "r.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert run(["show", str(path)]) == 2
    assert "at calls.0.surprise" in capsys.readouterr().err
