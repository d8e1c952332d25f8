"""What is said when a target cannot be loaded: one sentence, and no line of ours in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from dynprobe.errors import TargetError
from dynprobe.observe.target.load import load_target
from dynprobe.spec.model import Options
from dynprobe.spec.target import parse_target

assert torch  # so that modules are known as such

Fails = Callable[..., TargetError]


@pytest.fixture(autouse=True)
def clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


@pytest.fixture
def fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fails:
    monkeypatch.chdir(tmp_path)

    def fails(target: str, source: str | None = None, **options: object) -> TargetError:
        if source is not None:
            Path("bad_mod.py").write_text(source)
        with pytest.raises(TargetError) as caught:
            load_target(parse_target(target), Options(**options))  # type: ignore[arg-type]
        error = caught.value
        assert "\n" not in error.message
        assert error.__suppress_context__ or error.__context__ is None
        for line in (error.detail or "").splitlines():
            assert "importlib" not in line
            assert os.path.join("dynprobe", "observe") not in line
        return error

    return fails


BAD = ("bad_mod.py:f", "bad_mod:f")


def test_module_that_is_not_there(fails: Fails) -> None:
    Path("first_steps_here.py").touch()
    error = fails("first_step_here:f")
    assert error.message == (
        "there is no module 'first_step_here': did you mean 'first_steps_here'?"
    )
    assert error.detail is None
    assert "--app-dir" in (fails("zqzqzq:f").hint or "")


def test_module_that_is_not_in_its_package(fails: Fails) -> None:
    Path("some_pkg").mkdir()
    Path("some_pkg/__init__.py").touch()
    Path("some_pkg/models.py").touch()
    assert fails("some_pkg.model:f").message == (
        "there is no module 'model' in 'some_pkg': did you mean 'some_pkg.models'?"
    )
    assert fails("some_pkk.models:f").message == (
        "there is no module 'some_pkk': did you mean 'some_pkg'?"
    )


def test_attribute_written_with_a_dot_instead_of_a_colon(fails: Fails) -> None:
    Path("flat_one.py").write_text("class Net: ...")
    error = fails("flat_one.Net:forward")
    assert error.message == (
        "there is no module 'flat_one.Net': 'flat_one' is a module, not a package"
    )
    assert error.hint == "names inside it come after a colon: flat_one:Net"


@pytest.mark.parametrize("target", BAD)
def test_import_inside_the_users_module(fails: Fails, target: str) -> None:
    error = fails(target, "x = 1\nimport nope_not_here\n")
    assert error.message.startswith("importing ")
    assert error.message.endswith("failed: ModuleNotFoundError: No module named 'nope_not_here'")
    assert error.detail is not None
    assert 'bad_mod.py", line 2' in error.detail
    assert "import nope_not_here" in error.detail
    assert "'nope_not_here'" in (error.hint or "")


@pytest.mark.parametrize("target", BAD)
def test_exception_at_import_with_its_cause(fails: Fails, target: str) -> None:
    source = "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('so') from e\n"
    error = fails(target, source)
    assert error.message.endswith("failed: ValueError: so")
    assert "ZeroDivisionError" in (error.detail or "")
    assert "direct cause" in (error.detail or "")


def test_failure_in_a_module_that_the_module_imports(fails: Fails) -> None:
    Path("deep_one.py").write_text("def go():\n    raise KeyError('k')\ngo()\n")
    error = fails("bad_mod.py:f", "import deep_one\n")
    assert 'bad_mod.py", line 1' in (error.detail or "")
    assert 'deep_one.py", line 2' in (error.detail or "")


@pytest.mark.parametrize("target", BAD)
def test_syntax_error(fails: Fails, target: str) -> None:
    error = fails(target, "def f(x)\n    return x\n")
    assert error.message == "bad_mod.py, line 1, is not valid Python: expected ':'"
    assert error.detail is not None
    assert "def f(x)" in error.detail
    assert "^" in error.detail
    assert "Traceback" not in error.detail


def test_source_that_is_no_text(fails: Fails) -> None:
    Path("bad_mod.py").write_bytes(b"x = '\xff\xfe'\n")
    assert "bad_mod" in fails("bad_mod.py:f").message
    Path("bad_mod.py").write_bytes(b"x = 1\0\n")
    assert "null bytes" in fails("bad_mod.py:f").message


@pytest.mark.parametrize("target", BAD)
def test_exit_at_import(fails: Fails, target: str) -> None:
    error = fails(target, "import sys\nsys.exit(3)\n")
    assert "calls sys.exit(3) while it is imported" in error.message
    assert "__main__" in (error.hint or "")


@pytest.mark.parametrize("target", BAD)
def test_any_exception_at_import(fails: Fails, target: str) -> None:
    assert "Odd: off" in fails(target, "class Odd(BaseException): ...\nraise Odd('off')").message


def test_exception_whose_text_raises(fails: Fails) -> None:
    source = "class E(Exception):\n    def __str__(self): raise OSError\nraise E\n"
    assert fails("bad_mod.py:f", source).message == "importing bad_mod.py failed: E"


def test_a_failed_module_can_be_loaded_once_it_is_mended(fails: Fails) -> None:
    fails("bad_mod.py:f", "import nope_not_here\n")
    Path("bad_mod.py").write_text("def f(x): return x\n")
    assert load_target(parse_target("bad_mod.py:f"), Options()).kind == "function"


def test_ctrl_c_is_not_a_failure_of_the_target(fails: Fails) -> None:
    Path("bad_mod.py").write_text("raise KeyboardInterrupt")
    for target in BAD:
        with pytest.raises(KeyboardInterrupt):
            load_target(parse_target(target), Options())


def test_missing_attribute(fails: Fails) -> None:
    source = "from os.path import join\nLIMIT = 3\ndef scale(x): ...\ndef shift(x): ...\n"
    error = fails("bad_mod.py:scal", source)
    assert error.message == "bad_mod.py has no 'scal': did you mean 'scale'?"
    assert error.hint == "it has scale, shift"
    assert fails("bad_mod:scal").message.endswith("has no 'scal': did you mean 'scale'?")
    assert fails("bad_mod.py:LIMITS").message.endswith("did you mean 'LIMIT'?")


def test_a_long_list_is_not_offered(fails: Fails) -> None:
    source = "\n".join(f"def name{n}(x): ..." for n in range(40))
    assert fails("bad_mod.py:zzz", source).hint is None


def test_missing_attribute_further_down(fails: Fails) -> None:
    source = "class Net:\n    def encode(self, x): ...\nnet = Net()\n"
    assert fails("bad_mod.py:net.encod", source).message == (
        "net in bad_mod.py has no 'encod': did you mean 'encode'?"
    )
    assert "Net in bad_mod.py has no 'encod'" in fails("bad_mod.py:Net.encod").message


def test_attribute_of_a_modules_instance_asked_of_its_class(fails: Fails) -> None:
    source = (
        "from torch import nn\nclass Net(nn.Module):\n"
        "    def __init__(self): super().__init__(); self.proj = nn.Linear(2, 2)\n"
    )
    error = fails("bad_mod.py:Net.proj", source)
    assert error.hint == "Net().proj names an attribute of an instance"


def test_property_that_raises_is_not_missing(fails: Fails) -> None:
    source = "class A:\n    @property\n    def f(self): raise AttributeError('inner')\na = A()\n"
    error = fails("bad_mod.py:a.f", source)
    assert error.message == "reading f of a in bad_mod.py raised AttributeError: inner"
    assert "line 3" in (error.detail or "")


def test_not_callable(fails: Fails) -> None:
    source = "import os\nLIMIT = 3\n"
    assert fails("bad_mod.py:LIMIT", source).message == (
        "LIMIT in bad_mod.py is there but is not callable: it is an int"
    )
    assert fails("bad_mod.py:os").message.endswith("not callable: it is a module")
    assert fails("bad_mod.py:LIMIT()").message == (
        "LIMIT in bad_mod.py is not callable: it is an int"
    )


def test_class_whose_instances_cannot_be_called(fails: Fails) -> None:
    error = fails("bad_mod.py:A", "class A:\n    def run(self, x): ...\n")
    assert error.message == "A in bad_mod.py is a class whose instances cannot be called"
    assert error.hint == "name a method of it, such as A.run"


def test_class_that_needs_arguments(fails: Fails) -> None:
    source = (
        "from torch import nn\nclass Net(nn.Module):\n"
        "    def __init__(self, dim, depth=2): super().__init__()\n"
        "    def forward(self, x): return x\n"
    )
    for target in ("bad_mod.py:Net", "bad_mod.py:Net()", "bad_mod.py:Net.forward"):
        error = fails(target, source)
        assert error.message == (
            "Net in bad_mod.py needs arguments to be called: Net(dim, depth=2)"
        )
        assert "write a function without arguments" in (error.hint or "")


def test_constructor_that_raises(fails: Fails) -> None:
    source = "class A:\n    def __init__(self): raise ValueError('no')\n    def run(self, x): ...\n"
    error = fails("bad_mod.py:A.run", source)
    assert error.message == "calling A() raised ValueError: no"
    assert "line 2" in (error.detail or "")
    Path("leaves.py").write_text("def g(): raise SystemExit(4)")
    assert "raised SystemExit: 4" in fails("leaves.py:g", factory=True).message


def test_module_without_forward(fails: Fails) -> None:
    source = (
        "from torch import nn\nclass Net(nn.Module):\n    def run(self, x): return x\n"
        "net = Net()\nlayers = nn.ModuleList()\n"
    )
    error = fails("bad_mod.py:net", source)
    assert error.message == "net in bad_mod.py is a Net without a forward method"
    assert error.hint == "name one of its own methods: net.run"
    assert "a ModuleList without a forward" in fails("bad_mod.py:layers").message


def test_files(fails: Fails) -> None:
    Path("steps.py").touch()
    Path("dir").mkdir()
    Path("dir/inner_steps.py").touch()
    assert fails("step.py:f").message == "there is no file 'step.py': did you mean 'steps.py'?"
    assert fails("dir/inner_step.py:f").message == (
        "there is no file 'dir/inner_step.py': did you mean 'dir/inner_steps.py'?"
    )
    assert fails("dri/inner_steps.py:f").message.endswith(": there is no directory 'dri'")


def test_directory_named_like_a_file(fails: Fails) -> None:
    Path("pkg.py").mkdir()
    assert fails("pkg.py:f").message == "'pkg.py' is a directory: name a Python file in it"


def test_local_file_behind_a_module_that_is_already_loaded(fails: Fails) -> None:
    Path("random.py").write_text("def mine(x): ...")
    error = fails("random:mine")
    assert error.hint == "random.py here is another file: name it as random.py:mine"


def test_package_whose_name_is_taken(fails: Fails) -> None:
    Path("json").mkdir()
    Path("json/__init__.py").touch()
    Path("json/mine.py").write_text("def f(x): ...")
    assert "would be imported as 'json.mine', but 'json' is " in fails("json/mine.py:f").message
