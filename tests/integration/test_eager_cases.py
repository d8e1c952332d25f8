"""Real people's reports: where a compiled result is not eager's, as raw torch measured it.

`matches_eager` of a truth file is of results alone; each was taken without dynprobe."""

from __future__ import annotations

import json

import pytest
from side_by_side import side_by_side
from test_cases import CASES, NAMES, calls_of, load


@pytest.mark.parametrize("name", NAMES)
def test_results_match_eager_where_they_truly_do(name, tmp_path):
    def make():
        case = load(name)
        return eval(case.TARGET, vars(case)), calls_of(case)

    options = getattr(load(name), "COMPILE", {})
    report = side_by_side(make, tmp_path, **options)
    truth = json.loads((CASES / name / "truth.json").read_text())
    assert report.unknown == ()
    mine = [call.eager.difference is None for call in report.calls]
    assert mine == [call.get("matches_eager", True) for call in truth["calls"]]
    assert [call.eager.note for call in report.calls if call.eager.note] == []
    changed = [change for call in report.calls for change in call.eager.changes]
    assert changed == []
