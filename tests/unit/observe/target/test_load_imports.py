"""Where a target's module is found, and under which name."""

from __future__ import annotations

import os
import pickle
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynprobe.errors import TargetError
from dynprobe.observe.target.load import load_object, load_target, run_setup
from dynprobe.spec.model import Options, TargetSpec
from dynprobe.spec.target import parse_target


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    path, modules, here = list(sys.path), dict(sys.modules), os.getcwd()
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        if not name.startswith(("torch", "numpy")):
            del sys.modules[name]
    os.chdir(here)


def test_dotted_name_is_found_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flat_mod.py").write_text("def f(x): return x")
    monkeypatch.chdir(tmp_path)
    assert load_target(parse_target("flat_mod:f"), Options()).kind == "function"
    assert sys.path[0] == str(tmp_path)


def test_app_dir(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "app_mod.py").write_text("def f(x): return x")
    options = Options(app_dir=str(tmp_path / "app"))
    assert load_target(parse_target("app_mod:f"), options).kind == "function"
    with pytest.raises(TargetError, match="there is no directory 'nowhere'"):
        load_target(parse_target("app_mod:f"), Options(app_dir="nowhere"))


def test_file_inside_a_package_has_its_dotted_name_and_relative_imports(tmp_path: Path) -> None:
    sub = tmp_path / "outer_pkg" / "sub"
    sub.mkdir(parents=True)
    (tmp_path / "outer_pkg" / "__init__.py").touch()
    (sub / "__init__.py").touch()
    (tmp_path / "outer_pkg" / "consts.py").write_text("TWO = 2")
    (sub / "mod.py").write_text("from ..consts import TWO\ndef f(x): return x * TWO")
    loaded = load_target(parse_target(f"{sub / 'mod.py'}:f"), Options())
    assert loaded.callable.__module__ == "outer_pkg.sub.mod"
    assert loaded.callable(3) == 6
    assert sys.path[0] == str(tmp_path)


def test_submodule_that_nobody_imported_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lazy_pkg").mkdir()
    (tmp_path / "lazy_pkg" / "__init__.py").touch()
    (tmp_path / "lazy_pkg" / "mod.py").write_text("def f(x): return x")
    monkeypatch.chdir(tmp_path)
    assert load_target(parse_target("lazy_pkg:mod.f"), Options()).kind == "function"


def test_file_finds_its_siblings_and_can_be_pickled(tmp_path: Path) -> None:
    (tmp_path / "sibling_consts.py").write_text("TWO = 2")
    (tmp_path / "user-file.py").write_text(
        "from dataclasses import dataclass\nimport sibling_consts\n"
        "@dataclass\nclass Pair:\n    a: 'int'\n    def __call__(self): return sibling_consts.TWO\n"
        "pair = Pair(1)\n"
    )
    pair = load_object(f"{tmp_path / 'user-file.py'}:pair", Options())
    assert pair() == 2
    assert pickle.loads(pickle.dumps(pair)) == pair


@pytest.mark.parametrize("stem", ["random", "torch", "test", "code", "dataclasses"])
def test_a_file_named_like_a_module_does_not_take_its_place(tmp_path: Path, stem: str) -> None:
    (tmp_path / f"{stem}.py").write_text("MINE = True\ndef f(x): return x\n")
    loaded = load_target(parse_target(f"{tmp_path / stem}.py:f"), Options())
    assert loaded.callable.__module__ == f"{stem}_py"
    assert sys.modules[f"{stem}_py"].MINE
    __import__(stem)  # while the file's directory is first on sys.path
    assert not hasattr(sys.modules[stem], "MINE")
    assert random.random() < 1


def test_two_files_of_the_same_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same_stem.py").write_text(f"def f(): return {name!r}")
    one = load_object(f"{tmp_path / 'one/same_stem.py'}:f", Options())
    two = load_object(f"{tmp_path / 'two/same_stem.py'}:f", Options())
    assert (one(), two()) == ("one", "two")
    assert one.__module__ != two.__module__


def test_a_file_is_executed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "once_mod.py").write_text("state = object()\ndef f(): return state\n")
    monkeypatch.chdir(tmp_path)
    loaded = load_target(parse_target("once_mod.py:f"), Options())
    assert load_object("once_mod.py:state", Options()) is loaded.callable()
    assert load_object("once_mod:state", Options()) is loaded.callable()


def test_a_module_that_prints_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "chatty.py").write_text("print('hello')\ndef f(x): return x")
    load_target(parse_target(f"{tmp_path / 'chatty.py'}:f"), Options())
    assert capsys.readouterr().out == "hello\n"


def test_setup_runs_once(tmp_path: Path) -> None:
    (tmp_path / "prep.py").write_text("ran = []\ndef prepare(): ran.append(1)\ndef needs(x): ...")
    run_setup(Options())
    run_setup(Options(setup=f"{tmp_path / 'prep.py'}:prepare"))
    assert load_object(f"{tmp_path / 'prep.py'}:ran", Options()) == [1]
    with pytest.raises(TargetError, match=r"needs arguments to be called: needs\(x\)"):
        run_setup(Options(setup=f"{tmp_path / 'prep.py'}:needs"))


def test_spec_without_steps_offers_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "bare.py").write_text("def f(x): ...\ndef g(x): ...")
    spec = TargetSpec("bare.py", None, str(tmp_path / "bare.py"), ())
    with pytest.raises(TargetError) as caught:
        load_target(spec, Options())
    assert caught.value.hint == "it has f, g"
