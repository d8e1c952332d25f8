"""The canonical report at several widths, byte for byte.

`DYNPROBE_REWRITE_SNAPSHOTS=1 pytest tests/unit/render` writes the files anew: look at them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from dynprobe.render import View, renderer
from dynprobe.report import Report

SNAPSHOTS = Path(__file__).parent / "snapshots"
WIDTHS = (60, 80, 120, 200)
EVERYTHING = {"verbose": True, "all_guards": True, "graphs": True}
STYLES = re.compile(r"\x1b\[[0-9;]*m")


def text(report: Report, **view: object) -> str:
    return renderer("text").render(report, View(**view))  # type: ignore[arg-type]


@pytest.mark.parametrize("color", [False, True], ids=["plain", "color"])
@pytest.mark.parametrize("width", WIDTHS)
def test_looks_as_it_did(canonical: Report, width: int, color: bool) -> None:
    path = SNAPSHOTS / f"{width}-{'color' if color else 'plain'}.txt"
    shown = text(canonical, width=width, color=color)
    if os.environ.get("DYNPROBE_REWRITE_SNAPSHOTS"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("width", [40, *WIDTHS])
def test_no_line_is_wider_than_the_terminal(
    canonical: Report, width: int, everything: bool
) -> None:
    shown = text(canonical, width=width, **(EVERYTHING if everything else {}))
    wide = [line for line in shown.splitlines() if cell_len(line) > width]
    assert wide == []


@pytest.mark.parametrize("width", WIDTHS)
def test_color_changes_nothing_but_styles(canonical: Report, width: int) -> None:
    plain = text(canonical, width=width)
    assert STYLES.sub("", text(canonical, width=width, color=True)) == plain
    assert "\x1b" not in plain


def test_no_line_ends_in_blanks(canonical: Report) -> None:
    shown = text(canonical, width=120, **EVERYTHING)
    assert [line for line in shown.splitlines() if line != line.rstrip()] == []


def test_no_foreign_escape_code_gets_through(canonical: Report) -> None:
    """Only style codes of ours: those of the report's own texts are written out."""
    shown = text(canonical, width=120, color=True, **EVERYTHING)
    assert "\x1b" not in STYLES.sub("", shown)
    assert r"\x1b[31m" in shown
    assert "\u202e" not in shown
    assert "\t" not in shown


def test_the_environment_changes_nothing(
    canonical: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = text(canonical, width=80, color=True)
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "33"), ("LANG", "C")):
        monkeypatch.setenv(name, value)
    assert text(canonical, width=80, color=True) == before
