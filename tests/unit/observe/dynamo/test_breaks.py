"""Messages of graph breaks, taken apart, and places told apart. The texts are made by torch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch._dynamo import exc
from torch._dynamo.exc import Unsupported, UserError, UserErrorType

from dynprobe.observe.dynamo.break_text import parse_break
from dynprobe.observe.dynamo.breaks import Sites
from dynprobe.observe.dynamo.places import Places
from dynprobe.observe.dynamo.records import BreakSeen

unimplemented = getattr(exc, "unimplemented_v2", exc.unimplemented)  # its name before torch 2.10
REGISTRY = json.loads(Path(exc.__file__).with_name("graph_break_registry.json").read_text())


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
    assert found.url.endswith("/gb0170.html")
    assert (found.inside, found.made_worse) == (None, None)


def test_hints_of_one_rank_keep_torchs_order():
    hints = ["Remove the call.", "Avoid it.", "Z", "A"]
    assert parse_break(torchs(**FIRST | {"hints": hints}).msg).hints == tuple(hints)


@pytest.mark.parametrize(
    ("kind", "inside"),
    [
        ("graph break in loop", "loop"),
        ("Graph break under GenericContextWrappingVariable", "with"),
    ],
)
def test_a_break_met_while_handling_another(kind, inside):
    second = torchs(gb_type=kind, context="c", explanation="e", hints=[], from_exc=torchs(**FIRST))
    found = parse_break(second.msg)
    assert found.kind == "Data-dependent branching"
    assert (found.inside, found.made_worse) == (inside, None)


def test_another_reason_why_it_got_worse_is_told_in_torchs_words():
    second = torchs(
        gb_type="x", context="", explanation="It was\nworse.", hints=[], from_exc=torchs(**FIRST)
    )
    assert parse_break(second.msg).made_worse == "It was worse."


@pytest.mark.parametrize("gb_id", sorted(REGISTRY))
def test_every_kind_that_torch_ships(gb_id):
    """As torch would raise it: the id is the one of torch's own link, nothing is blank."""
    for version in REGISTRY[gb_id]:
        kind, hints = version["Gb_type"], list(version["Hints"])
        error = torchs(gb_type=kind, context="c", explanation=version["Explanation"], hints=hints)
        found = parse_break(error.msg)
        link = exc.get_gbid_documentation_link(kind)
        assert found.kind == kind.strip()
        assert found.url == link
        assert found.gb_id == "GB" + link.rpartition("gb")[2].removesuffix(".html")
        assert found.explanation.strip()
        if hints:
            assert sorted(found.hints) == sorted(" ".join(hint.split()) for hint in hints)


@pytest.mark.parametrize("gb_id", sorted(REGISTRY))
def test_where_the_break_has_no_text_the_registry_has(gb_id):
    version = REGISTRY[gb_id][0]
    kind = version["Gb_type"]
    found = parse_break(kind)
    link = exc.get_gbid_documentation_link(kind)
    assert found.gb_id == "GB" + link.rpartition("gb")[2].removesuffix(".html")
    assert found.explanation.strip()
    assert "{" not in found.explanation
    assert all(" " in hint for hint in found.hints)


def test_a_hint_that_the_registry_has_in_pieces_is_whole():
    hints = parse_break("Attempt to trace generator").hints
    assert hints[0] == (
        "Call a generator from inside of a non-generator Python function and "
        "compile that function instead."
    )


def test_a_kind_with_a_word_of_the_case():
    form = "unsupported type.__dict__['{attr_name}'].__get__ call"
    assert parse_break(form.format(attr_name="size")).gb_id == "GB9672"


def test_an_explanation_of_several_paragraphs_is_whole():
    explanation = "First.\n\nSecond:\n  - a\n  - b"
    found = parse_break(torchs(**FIRST | {"explanation": explanation}).msg)
    assert found.explanation.startswith("First.\n\n")
    assert "- b" in found.explanation
    assert found.hints == ("Use `torch.cond`.", "This graph break is fundamental.")


def test_an_error_of_the_users():
    """torch puts the advice first; what is wrong names the place, or each graph's symbol would
    make a place of its own."""
    said = (
        "Consider annotating your code using torch._check*(). Could not extract specialized "
        "integer from data-dependent expression {} (unhinted: {}).\n\nCaused by: (f.py:1)"
    )
    kinds = set()
    for symbol in ("u0", "u1"):
        error = UserError(
            UserErrorType.ANTI_PATTERN, said.format(symbol, symbol), case_name="constrain_as_size"
        )
        found = parse_break(error.msg)
        assert found.hints == ("Consider annotating your code using torch._check*().",)
        assert symbol in found.explanation
        assert found.url.startswith("https://pytorch.org/")
        kinds.add(found.kind)
    assert kinds == {"Could not extract specialized integer from data-dependent expression"}


def test_text_without_a_form():
    found = parse_break("comprehension_graph_break")
    assert (found.kind, found.gb_id) == ("comprehension_graph_break", None)
    assert found.explanation == "comprehension_graph_break"
    assert parse_break("").kind == "Unknown graph break"
    assert parse_break("").explanation
    long = parse_break("It went wrong. " + "word " * 500)
    assert long.kind == "It went wrong"
    assert len(parse_break("word " * 500).kind) <= 121


def test_markup_in_a_message_is_kept():
    found = parse_break("[bold]odd[/bold]\n  Explanation: a\x1b[31m <b>b</b>\n  Hint: [x] {y}\n\n")
    assert found.kind == "[bold]odd[/bold]"
    assert found.hints == ("[x] {y}",)


# Places


def helper():
    return torch.ones(1)


def outer():
    return helper()


def here():
    return list(torch.utils._traceback.CapturedTraceback.extract().summary())


def seen(stack, **fields):
    return BreakSeen(torchs(**FIRST | fields).msg, stack, cannot_resume=False)


def test_levels_of_one_break_are_one_place():
    """An inlined break ends the frames of all its levels; it is one place, crossed once a run."""
    sites, stack = Sites(Places(__file__)), here()
    site = sites.add(seen(stack), "split", outer.__code__, 0)
    assert sites.add(seen(stack[-1:]), "split", helper.__code__, 0) is site
    for code in (outer.__code__, helper.__code__):
        site.cross(code)
    assert sites.end_call(0) == 1
    (row,) = sites.changed_rows()
    assert (row.at_capture, row.crossed) == (1, 1)
    assert [(c.call, c.at_capture, c.crossed) for c in row.per_call] == [(0, 1, 1)]
    assert len(row.frames) == 2
    assert sites.changed_rows() == ()


def test_a_call_is_told_once():
    """What calls did is appended to what earlier ones did: a long run does not repeat itself."""
    sites = Sites(Places(__file__))
    site = sites.add(seen(here()), "split", outer.__code__, 0)
    for call in range(3):
        site.cross(outer.__code__)
        assert sites.end_call(call) == 1
        (row,) = sites.changed_rows()
        assert [c.call for c in row.per_call] == [call]
        assert row.crossed == call + 1


def test_two_kinds_on_one_line_are_two_places():
    sites, stack = Sites(Places(__file__)), here()
    first = sites.add(seen(stack), "split", outer.__code__, 0)
    assert sites.add(seen(stack, gb_type="other"), "split", outer.__code__, 0) is not first


def test_entries_before_and_after():
    """Whichever is known first: the resume function's entry, or that it resumes here."""
    sites = Sites(Places(__file__))
    sites.captured(helper.__code__, "7/0")  # of no place's
    site = sites.add(seen(here()), "split", outer.__code__, 0)
    sites.split(site, "0/0", [helper.__code__])
    sites.captured(helper.__code__, "1/0")
    sites.split(site, "0/1", [helper.__code__])
    sites.captured(helper.__code__, "1/1")
    (row,) = sites.changed_rows()
    assert (row.before, row.after) == (("0/0", "0/1"), ("1/0", "1/1"))


def test_the_lines_around_a_place():
    sites = Sites(Places(__file__))
    sites.add(seen(here()), "split", outer.__code__, 0)
    (row,) = sites.changed_rows()
    source = Path(__file__).read_text().splitlines()
    assert [line.line for line in row.context] == list(range(row.line - 2, row.line + 3))
    assert [line.text for line in row.context] == source[row.line - 3 : row.line + 2]


def test_the_worst_effect_is_told_with_what_made_it_so():
    sites, stack = Sites(Places(__file__)), here()
    sites.add(seen(stack), "split", outer.__code__, 0)
    sites.add(seen(stack[-1:])._replace(inside="try"), "skip_frame", helper.__code__, 0)
    (row,) = sites.changed_rows()
    assert (row.effect, row.inside, row.crossed) == ("skip_frame", "try", None)
    assert row.frames == ("helper", "outer")


def test_a_break_in_a_library_has_the_users_line_that_called():
    """Its own stack has none: the frame is the library's."""
    sites = Sites(Places(__file__))
    code = json.dumps.__code__
    site = sites.add(BreakSeen("odd", [], cannot_resume=True), "skip_frame", code, 0)
    (row,) = sites.changed_rows()
    assert row.file == code.co_filename
    assert (row.near.file, row.near.function) == (
        __file__,
        "test_a_break_in_a_library_has_the_users_line_that_called",
    )
    assert site.near == row.near
    assert row.context[2].line == row.near.line
