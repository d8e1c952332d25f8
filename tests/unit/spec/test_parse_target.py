"""The text that names what to call."""

from __future__ import annotations

import pytest

from dynprobe.spec.model import TargetSpec
from dynprobe.spec.target import parse_target


@pytest.mark.parametrize(
    ("text", "module", "file", "steps"),
    [
        ("pkg.mod:fn", "pkg.mod", None, ("fn",)),
        ("mod:Net.forward", "mod", None, ("Net", "forward")),
        ("pkg.nets:Net()", "pkg.nets", None, ("Net", "()")),
        ("pkg.nets:net().encode", "pkg.nets", None, ("net", "()", "encode")),
        ("pkg.nets:make()()", "pkg.nets", None, ("make", "()", "()")),
        ("mod:net( )", "mod", None, ("net", "()")),
        ("path/to/file.py:fn", None, "path/to/file.py", ("fn",)),
        ("file.PY:a.b", None, "file.PY", ("a", "b")),
        ("../my dir (1)/file.py:fn", None, "../my dir (1)/file.py", ("fn",)),
        ("odd(/file.py:fn", None, "odd(/file.py", ("fn",)),
        ("a:b/file.py:fn", None, "a:b/file.py", ("fn",)),
        (r"C:\code\file.py:fn", None, r"C:\code\file.py", ("fn",)),
        ("C:/code/file.py:Net().run", None, "C:/code/file.py", ("Net", "()", "run")),
        ("модуль:größe", "модуль", None, ("größe",)),
    ],
)
def test_targets(text: str, module: str | None, file: str | None, steps: tuple[str, ...]) -> None:
    assert parse_target(text) == TargetSpec(text, module, file, steps)


def test_blanks_around_a_target_are_not_part_of_it() -> None:
    assert parse_target("  mod:fn\n") == TargetSpec("mod:fn", "mod", None, ("fn",))
