"""Messages of graph breaks, taken apart. The texts are made by torch itself."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.exc import Unsupported, unimplemented

from dynprobe.observe.dynamo.breaks import Sites, parse_break
from dynprobe.observe.dynamo.places import Places


def torchs(**fields):
    with pytest.raises(Unsupported) as caught:
        unimplemented(**fields)
    return caught.value


FIRST = {
    "gb_type": "Data-dependent branching",
    "context": "attempted to jump with x",
    "explanation": "Dynamo does not trace\ndynamic control flow.",
    "hints": ["This graph break is fundamental.", "Use `torch.cond`."],
}


def test_one_break():
    found = parse_break(str(torchs(**FIRST).msg))
    assert found.kind == "Data-dependent branching"
    assert found.gb_id == "GB0170"
    assert found.explanation == "Dynamo does not trace dynamic control flow."
    assert found.hints == ("Use `torch.cond`.", "This graph break is fundamental.")
    assert found.made_worse is None


def test_a_break_met_while_handling_another():
    first = torchs(**FIRST)
    second = torchs(
        gb_type="graph break in loop",
        context="frame skipped",
        explanation="torch.compile detected a graph break in a for/while loop.",
        hints=[],
        from_exc=first,
    )
    found = parse_break(second.msg)
    assert found.kind == "Data-dependent branching"
    assert found.in_loop
    assert found.made_worse == "It is inside a loop, and Dynamo cannot resume inside one."


def test_text_without_a_form():
    found = parse_break("comprehension_graph_break")
    assert (found.kind, found.gb_id) == ("comprehension_graph_break", None)
    assert parse_break("").kind == "Unknown graph break"


def test_markup_in_a_message_is_kept():
    found = parse_break("[bold]odd[/bold]\n  Explanation: a\x1b[31m <b>b</b>\n  Hint: [x]\n\n")
    assert found.kind == "[bold]odd[/bold]"
    assert found.hints == ("[x]",)


def test_levels_of_one_break_are_one_place():
    """An inlined break ends the frames of all its levels; it is one place, crossed once a run."""
    sites = Sites(Places(None))

    def helper():
        return torch.ones(1)

    def outer():
        return helper()

    place = torch.utils._traceback.CapturedTraceback.extract().summary()
    text = torchs(**FIRST).msg
    site = sites.add(text, list(place), "split", outer.__code__, 0)
    assert sites.add(text, list(place), "split", helper.__code__, 0) is site
    for code in (outer.__code__, helper.__code__):
        site.cross(code)
    assert sites.end_call() == 1
    (row,) = sites.changed_rows()
    assert (row.at_capture, row.crossed) == (1, 1)
    assert len(row.frames) == 2
    assert sites.changed_rows() == ()
