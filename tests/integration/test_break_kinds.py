"""The kinds that rules know, held to the registry of kinds that ships with torch."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from dynprobe.diagnose.rules import BREAK_RULES
from dynprobe.report import GraphBreak

REGISTRY = Path(torch.__file__).parent / "_dynamo" / "graph_break_registry.json"


def registered() -> dict[str, str]:
    """GB id → kind."""
    return {gb: rows[0]["Gb_type"] for gb, rows in json.loads(REGISTRY.read_text()).items()}


def rule_of(kind: str, gb_id: str | None) -> str:
    place = GraphBreak(
        index=0, file="model.py", line=7, function="f", code="y = f(x)", kind=kind, gb_id=gb_id,
        effect="split", at_capture=1, crossed=1, explanation="", hints=(),
    )  # fmt: skip
    return next(rule.id for rule in BREAK_RULES if rule.matches(place))


def test_an_id_and_the_kind_it_stands_for_have_the_same_rule():
    by_kind = {gb: rule_of(kind, None) for gb, kind in registered().items()}
    by_id = {gb: rule_of("a kind of another torch", gb) for gb in registered()}
    assert by_kind == by_id


def test_the_registry_has_kinds_that_rules_know():
    known = [gb for gb, kind in registered().items() if rule_of(kind, gb) != "graph-break"]
    assert len(known) > 40
