"""What the README says, held to what is: its commands run, its tables are whole."""

from __future__ import annotations

import linecache
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from dynprobe.cli.app import app, run
from dynprobe.errors import ExitCode
from dynprobe.report import Effect, Outcome
from dynprobe.report.schema import report_schema_text

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
LINES = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines() if line]
COMMANDS = [line for line in LINES if line.startswith("dynprobe ")]


def words_of(line: str) -> list[str]:
    """The arguments of `dynprobe`: up to a pipe, without a comment."""
    words = shlex.split(line, comments=True)
    return words[1 : words.index("|")] if "|" in words else words[1:]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands run: the README's files are written here, and its examples are here."""
    made = tmp_path_factory.mktemp("readme")
    (made / "examples").symlink_to(ROOT / "examples")
    return made


@pytest.fixture
def _modules_as_found() -> Iterator[None]:
    """A command that runs in this process leaves the target's modules imported."""
    path, names = [*sys.path], {*sys.modules}
    yield
    sys.path[:] = path
    examples = {p.stem for p in (ROOT / "examples").glob("*.py")}
    for name in examples - names:
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("_modules_as_found")
@pytest.mark.parametrize("line", COMMANDS)
def test_commands(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words = words_of(line)
    if words[0] == "explain" and not {"--alone", "--eager"} & {*words}:
        words.append("--in-process")  # torch is imported already
    assert run(words) == ExitCode.OK
    captured = capfd.readouterr()
    assert captured.out
    assert "error" not in captured.err


def test_the_commands_are_found() -> None:
    assert len(COMMANDS) > 20
    assert {words_of(line)[0] for line in COMMANDS} == {"explain", "show", "schema", "rule"}


@pytest.mark.parametrize("code", [text for kind, text in BLOCKS if kind == "python"])
def test_python(code: str) -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    path = "readme.py"
    linecache.cache[path] = (len(code), None, code.splitlines(keepends=True), path)
    exec(compile(code, path, "exec"), names)


def test_options_exist() -> None:
    """Options of the command and, in lines on speed, of the benchmarks."""
    known = {option for command in commands().values() for option in options(command)}
    measured = {"--case", "--runs"}
    for script in ("startup.py", "watching.py"):
        text = (ROOT / "benchmarks" / script).read_text()
        assert measured <= set(re.findall(r"\"(--[a-z]+)\"", text)), script
    said = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    assert said - known == measured


def commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return {"": group, **group.commands}


def options(command: Any) -> set[str]:
    return {name for p in command.params for name in (*p.opts, *p.secondary_opts)}


def test_the_tables_are_whole() -> None:
    assert re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE) == [
        "hit", "capture", "recompile", "fallback", "skip", "error",
    ]  # fmt: skip
    assert {*re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)} == {*get_args(Outcome)}
    codes = re.findall(r"^\| (\d+) \|", README, re.MULTILINE)
    assert [int(code) for code in codes] == [int(code) for code in ExitCode]
    effects = re.findall(r"^\| (split|rest eager|skipped) \|", README, re.MULTILINE)
    assert len(effects) == len(get_args(Effect))


def test_jq_speaks_of_names_that_are_there() -> None:
    schema = report_schema_text()
    programs = [line.split("jq", 1)[1] for line in COMMANDS if "| jq" in line]
    names = {name for program in programs for name in re.findall(r"\.([a-z_]+)", program)}
    assert len(names) > 10
    assert [name for name in names if f'"{name}"' not in schema] == []


def test_ci_runs_the_line_of_the_readme() -> None:
    (line,) = [line for line in LINES if "scripts/check.py" in line]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert ci[-1] == line
    assert line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "examples/README.md"]
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
    gone = [at for at in links if "://" not in at and not (path.parent / at).exists()]
    assert gone == []


def test_examples_are_told_of() -> None:
    told = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*.py"):
        assert f"`{path.name}`" in told
        assert f"examples/{path.name}:" in README
