"""The script that runs the tests on another torch, and the list of what differs there."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from torch_differences import DIFFERENCES, difference_of, version_of

ROOT = Path(__file__).parents[2]
JUNIT = """<testsuites><testsuite>
<testcase classname="tests.integration.test_a" name="test_ok"/>
<testcase classname="tests.integration.test_a" name="test_known">
  <skipped type="pytest.xfail" message="it differs"/></testcase>
<testcase classname="tests.integration.test_a" name="test_left_out">
  <skipped type="pytest.skip" message="no GPU"/></testcase>
<testcase classname="tests.integration.test_a" name="test_wrong[4]">
  <failure message="assert 4 == 5&#10;more">all of it</failure></testcase>
<testcase classname="tests.integration.test_a" name="test_gone">
  <failure message="[XPASS(strict)] it differs"/></testcase>
<testcase classname="tests.integration.test_b" name="test_fixture"><error>no such thing</error>
</testcase></testsuite></testsuites>"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_torch", ROOT / "scripts/check_torch.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["check_torch"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_came_of_the_tests(script):
    results = script.read_results(JUNIT)
    assert str(results) == "1 passed, 1 expected differences, 3 unexpected, 1 skipped"
    assert results.expected == {"it differs": 1}
    assert results.unexpected == (
        "test_a.py::test_wrong[4]  assert 4 == 5",
        "test_a.py::test_gone  [XPASS(strict)] it differs",
        "test_b.py::test_fixture  no such thing",
    )


def test_it_runs_with_an_interpreter_and_says_which_torch(script, capsys):
    words = [sys.executable, "--", "-n", "0", "-k", "test_marked_dimensions_are_one_kind_of_guard"]
    assert script.main(words) == 0
    said = capsys.readouterr().out
    assert said.startswith("torch 2.")
    assert "1 passed, 0 expected differences, 0 unexpected" in said
    assert "not told by this torch" in said


def test_an_interpreter_without_torch_is_told(script, tmp_path, capsys):
    (tmp_path / "python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    assert script.main([str(tmp_path / "python")]) == 1
    assert "no torch can be imported there" in capsys.readouterr().err


def test_every_difference_is_of_a_test_that_is_there():
    files = {path.name: path for path in ROOT.glob("tests/integration/test_*.py")}
    units = {path.name: path for path in ROOT.glob("tests/unit/observe/**/test_*.py")}
    for name in (name for found in DIFFERENCES for name in found.tests):
        file, _, test = name.partition("::")
        trees = [ast.parse(d[file].read_text()) for d in (files, units) if file in d]
        functions = {node.name for tree in trees for node in tree.body if hasattr(node, "name")}
        assert test.partition("[")[0].rstrip("*") in functions, name


def test_versions_between_bounds():
    assert [version_of(text) for text in ("2.9.1+cu128", "2.14.0a0", "2.15rc1")] == [
        (2, 9), (2, 14), (2, 15),
    ]  # fmt: skip
    name = "test_why_not.py::test_a_backend_that_is_another"
    assert difference_of(name, (2, 9)) is not None
    assert difference_of(name, (2, 13)) is None
    random = "test_cases.py::test_outcomes[layer_drop]"
    assert difference_of(random, (2, 15)) is not None
    assert difference_of(random, (2, 13)) is None
    assert [found.tests for found in DIFFERENCES if found.is_of("x.py::y", (2, 13))] == []
