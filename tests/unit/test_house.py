"""The rules of the house that no linter knows. CONTRIBUTING.md says them in words."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dynprobe"
FILES = sorted(SOURCE.rglob("*.py"))
TAPS = SOURCE / "observe" / "dynamo" / "taps"
# The bridge is a tensor that torch dispatches to: it is made of private names, as the taps are.
BRIDGE = (SOURCE / "observe/jaxjit/bridge", SOURCE / "observe/jaxjit/aten/registry.py")
MOST_LINES = 300
MOST_LINES_OF_FUNCTION = 50

# Names of torch that no release promises to keep.
PRIVATE = re.compile(
    r"\btorch\._(?!_)|_torchdynamo|\b_dynamo\w*|\b_inductor\b|\b_guards\b|\bconvert_frame\b"
    r"|\beval_frame\b|\bsymbolic_convert\b|\bCacheEntry\b|\bguard_manager\b|\b_C\b"
)


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstrings(module: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            first = node.body[0]
            assert isinstance(first, ast.Expr)
            assert isinstance(first.value, ast.Constant)
            yield first.value


def code_words(module: ast.Module) -> Iterator[str]:
    """What could reach torch: dotted names, and texts that are one name or dotted path. Prose for
    people (docstrings, messages with a blank in them) may say what it likes."""
    told = {id(node) for node in docstrings(module)}
    for node in ast.walk(module):
        match node:
            case ast.Attribute() | ast.Name():
                yield ast.unparse(node)
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom() if not node.level:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            case ast.Constant(value=str(text)) if id(node) not in told and not re.search(
                r"\s", text.strip()
            ):
                yield text


def private_names(path: Path) -> set[str]:
    return {found for words in code_words(tree(path)) for found in PRIVATE.findall(words)}


@pytest.mark.parametrize(
    "code", ["import torch._dynamo", "torch._C.f()", "vars(f).get('_torchdynamo_inline')",
             "from torch._guards import Guard", "import_module('torch._inductor.config')"],
)  # fmt: skip
def test_a_private_name_is_seen(code: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(code)
    assert private_names(path)


def test_private_torch_names_stay_in_the_taps() -> None:
    rooms = {TAPS, *BRIDGE}
    found = {named(p): private_names(p) for p in FILES if not rooms & {p, *p.parents}}
    assert {name: names for name, names in found.items() if names} == {}


def test_the_taps_are_where_private_names_are() -> None:
    assert any(private_names(path) for path in TAPS.glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_sizes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    functions = [
        n
        for n in ast.walk(ast.parse(text))
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = {
        f.name: lines
        for f in functions
        if (lines := (f.end_lineno or 0) - f.lineno + 1 - _signature_and_docstring(f))
        > MOST_LINES_OF_FUNCTION
    }
    assert long == {}


def _signature_and_docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines that are no code: a command's signature has a line for each option."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[0].lineno - function.lineno if body else 0


def test_importing_dynprobe_imports_nothing_large() -> None:
    code = (
        "import sys, dynprobe; dynprobe.Call(); "
        "print({'torch', 'jax', 'numpy', 'pydantic', 'rich', 'typer'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_package_asks_for_little() -> None:
    """Development's versions are in constraints.txt; the package leaves its users room."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "torch>=2.9" in project["dependencies"]
    assert not [d for d in project["dependencies"] if "==" in d or "<" in d]


def test_constraints_pin_what_development_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[<>=!~\[ ]", text)[0] for text in asked}
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {line.split("==")[0] for line in lines if line and not line.startswith("#")}
    assert pinned == names


def test_the_type_marker_is_shipped() -> None:
    assert (SOURCE / "py.typed").is_file()
