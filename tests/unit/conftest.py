"""The canonical report, as built and as saved."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from dynprobe.report import Report

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture(scope="session")
def canonical() -> Report:
    report = runpy.run_path(str(FIXTURES / "canonical.py"))["build"]()
    assert isinstance(report, Report)
    return report


@pytest.fixture(scope="session")
def canonical_path() -> Path:
    return FIXTURES / "canonical.json"
