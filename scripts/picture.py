"""Draws the README's pictures from real runs of `dynprobe explain`.

    python scripts/picture.py           # writes docs/*.svg
    python scripts/picture.py --check   # exit code 1 where a picture is not what a run shows now

The versions of torch and Python that a picture names are no drift: `--check` takes them from the
picture.
"""

from __future__ import annotations

import html
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from dynprobe.render import View, renderer
from dynprobe.report import Report

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
WIDTH = 100  # cells
TAGS = re.compile(r"<[^>]*>")
VERSIONS = re.compile(r"torch (\S+) · Python (\S+)")


class Picture(NamedTuple):
    """`command` is what follows `dynprobe`, a line of the prompt each."""

    name: str
    command: tuple[str, ...]


PICTURES = (
    Picture(
        "recompiles",
        (
            "explain examples/pool.py:pool --recompile-limit 2",
            """-c "4xf32,'max'" -c "5xf32,'max'" -c "6xf32,'max'\"""",
            """-c "6xf32,'mean'" -c "6xf32,'mean'\"""",
        ),
    ),
    Picture("breaks", ("explain examples/pool.py:clip --shapes 3,3",)),
)

# The colours of a dark terminal, on a ground that is neither a page's white nor its black.
THEME = TerminalTheme(
    (24, 28, 36),
    (222, 228, 236),
    [(72, 80, 94), (255, 123, 114), (86, 211, 100), (227, 179, 65),
     (121, 192, 255), (226, 140, 245), (118, 217, 230), (200, 208, 218)],
)  # fmt: skip
# Rich's fields; no font is fetched, because pages that show pictures forbid it.
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def observe(picture: Picture) -> Report:
    """What the real command, in a process of its own, saw."""
    command = f"{sys.executable} -m dynprobe {' '.join(picture.command)} -f json"
    done = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return Report.model_validate_json(done.stdout)


def draw(picture: Picture, report: Report) -> str:
    """The prompt and the text output as SVG: equal, byte for byte, for equal reports."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), color_system="standard", force_terminal=True,
        legacy_windows=False, highlight=False, _environ={},
    )  # fmt: skip
    prompt = " \\\n    ".join(picture.command)
    shown = renderer("text").render(report, View(width=WIDTH, color=True)).rstrip("\n")
    for part in (Text.assemble(("$ ", "dim"), f"dynprobe {prompt}"), Text(), Text.from_ansi(shown)):
        console.print(part, soft_wrap=True)
    svg = console.export_svg(
        title="dynprobe", theme=THEME, code_format=FORMAT, unique_id=f"dynprobe-{picture.name}"
    )
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def versions_of(svg: str) -> tuple[str, str] | None:
    text = html.unescape(TAGS.sub("", svg)).replace("\N{NO-BREAK SPACE}", " ")
    found = VERSIONS.search(text)
    return (found[1], found[2]) if found else None


def with_versions(report: Report, versions: tuple[str, str]) -> Report:
    torch, python = versions
    known = report.environment.model_copy(update={"torch": torch, "python": python})
    return report.model_copy(update={"environment": known})


def is_current(picture: Picture, path: Path) -> bool:
    if not path.exists():
        return False
    drawn = path.read_text(encoding="utf-8")
    versions = versions_of(drawn)
    return versions is not None and drawn == draw(
        picture, with_versions(observe(picture), versions)
    )


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stale = 0
    for picture in PICTURES:
        path = DOCS / f"{picture.name}.svg"
        if not arguments:
            path.write_text(draw(picture, observe(picture)), encoding="utf-8")
        elif not is_current(picture, path):
            print(f"{path.relative_to(ROOT)} is not what a run shows now: run scripts/picture.py")
            stale += 1
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
