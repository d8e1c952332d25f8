"""Files are whole or absent; where stdout's width and colour come from."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest

from dynprobe.cli.output import Wish, opened, parse_output
from dynprobe.cli.terminal import Color, uses_color, width_of, write_out
from dynprobe.errors import DynprobeError
from dynprobe.render import View
from dynprobe.report import Report


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("r.json", ("json", "r.json")),
        ("a/R.JSON", ("json", "a/R.JSON")),
        ("r.txt", ("text", "r.txt")),
        ("json=r.txt", ("json", "r.txt")),
        ("text=a=b", ("text", "a=b")),
        ("./a=b.json", ("json", "./a=b.json")),
        ("run1/lr=3.json", ("json", "run1/lr=3.json")),
    ],
)
def test_parse_output(text: str, wish: tuple[str, str]) -> None:
    assert parse_output(text) == Wish(wish[0], Path(wish[1]))


def test_nothing_is_left_of_work_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("old")
    with opened([str(path), str(tmp_path / "new.json")]):
        assert len(list(tmp_path.iterdir())) == 3  # opened before the work
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]
    assert path.read_text() == "old"


def test_a_written_file_takes_the_old_ones_place_and_mode(
    canonical: Report, tmp_path: Path
) -> None:
    path, link = tmp_path / "r.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with opened([str(link)]) as artefacts:
        artefacts.write(canonical, View())
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8").startswith("{")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_any_new_file(canonical: Report, tmp_path: Path) -> None:
    with opened([str(tmp_path / "r.json")]) as artefacts:
        artefacts.write(canonical, View())
    (tmp_path / "plain").touch()
    assert (tmp_path / "r.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_device_is_written_as_it_is(canonical: Report) -> None:
    before = os.stat(os.devnull).st_mode
    with opened([f"json={os.devnull}"]) as artefacts:
        artefacts.write(canonical, View())
    assert os.stat(os.devnull).st_mode == before


def test_the_second_unwritable_file_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    texts = [str(tmp_path / "r.json"), str(tmp_path / "no" / "r.json")]
    with pytest.raises(DynprobeError, match="cannot write"), opened(texts):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wanted", "stream", "environ", "color"),
    [
        (Color.AUTO, io.StringIO(), {}, False),
        (Color.AUTO, Terminal(), {}, True),
        (Color.AUTO, Terminal(), {"NO_COLOR": "1"}, False),
        (Color.AUTO, Terminal(), {"NO_COLOR": ""}, True),
        (Color.AUTO, Terminal(), {"TERM": "dumb"}, False),
        (Color.AUTO, io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (Color.AUTO, io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (Color.ALWAYS, io.StringIO(), {"NO_COLOR": "1"}, True),
        (Color.NEVER, Terminal(), {"FORCE_COLOR": "1"}, False),
        (Color.AUTO, None, {}, False),
    ],
)
def test_color(
    wanted: Color, stream: io.StringIO | None, environ: dict[str, str], color: bool
) -> None:
    assert uses_color(wanted, stream, environ) is color


@pytest.mark.parametrize(
    ("wanted", "environ", "width"),
    [
        (None, {}, 120),
        (None, {"COLUMNS": "77"}, 77),
        (None, {"COLUMNS": "0"}, 120),
        (None, {"COLUMNS": "wide"}, 120),
        (None, {"COLUMNS": "5"}, 40),
        (90, {"COLUMNS": "77"}, 90),
    ],
)
def test_width_of_a_pipe(wanted: int | None, environ: dict[str, str], width: int) -> None:
    assert width_of(wanted, io.StringIO(), environ) == width


def test_an_encoding_without_our_signs_gets_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    write_out("x: 4 → 5 ×2 色\n")
    assert raw.getvalue() == b"x: 4 -> 5 x2 \\u8272\n"
