"""Writes the pages of `docs/rules/` from the rules, their examples and real runs of these.

    python scripts/rules.py

`tests/integration/test_rules.py` fails where a page is not what this would write.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "rules"
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from rule_examples import page_of  # noqa: E402

from dynprobe.diagnose.rules import RULES  # noqa: E402
from dynprobe.diagnose.rules.page import index  # noqa: E402


def main() -> None:
    pages = {f"{rule.id}.md": page_of(rule) for rule in RULES}
    pages["README.md"] = index(RULES)
    for old in PAGES.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
