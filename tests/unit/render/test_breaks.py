"""How a graph break reads."""

from __future__ import annotations

import re

import pytest

from dynprobe.render.base import View
from dynprobe.render.text.around import before_and_after, context, per_call
from dynprobe.render.text.breaks import breaks
from dynprobe.render.text.eager import eager
from dynprobe.report import Crossing, Entry, Finding, Frame, Graph, GraphBreak, Line, Op

SITE = GraphBreak(
    index=0, file="/w/f.py", line=3, function="g", code="print(x)", kind="Kind", gb_id="GB0001",
    effect="split", at_capture=1, crossed=3, explanation="Because.\n\n    a listing",
    hints=("Use this.", "Or that.", "Or those.", "Please report an issue to PyTorch."),
    url="https://example.org/gb0001", frames=("g",), calls=(0,),
    context=tuple(
        Line(file="/w/f.py", line=number, text=text)
        for number, text in [(1, ""), (2, "    def g(x):"), (3, "        print(x)"),
                             (4, "        return x")]
    ),
)  # fmt: skip


def site(**fields):
    return SITE.model_copy(update=fields)


def crossings(*counts, first=0):
    return tuple(Crossing(call=i, at_capture=0, crossed=n) for i, n in enumerate(counts, first))


def entry(compile_id, ops):
    graph = Graph(ops=tuple(Op(name="sin") for _ in range(ops)), inputs=())
    return Entry(compile_id=compile_id, call=0, guards=(), graph=graph)


def frame(key, *entries, **fields):
    known = {"function": "g", "file": "/w/f.py", "line": 2, "state": "compiled"}
    return Frame(key=key, entries=entries, **known | fields)


def told(section, report, **view):
    return "\n".join(text.plain for text in section(report, View(**{"width": 100} | view)))


@pytest.fixture
def report(canonical):
    return canonical.model_copy(update={"graph_breaks": (), "frames": (), "findings": ()})


def test_the_line_is_marked_and_indentation_kept():
    lines = [text.plain for text in context(SITE.context, 3, 80)]
    assert lines == [
        "      2 def g(x):",
        "    > 3     print(x)",
        "      4     return x",
    ]


def test_a_long_line_folds_beside_its_number():
    long = (Line(file="/w/f.py", line=9, text="call(" + "argument, " * 10 + ")"),)
    first, second, *_ = [text.plain for text in context(long, 9, 40)]
    assert first.startswith("    > 9 call(")
    assert second.startswith("          argument,")
    assert max(len(text.plain) for text in context(long, 9, 40)) <= 40


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (crossings(1, 1, 1), ""),
        (crossings(2, 2, 2), "calls 0–2: 2× each"),
        (crossings(1, 1, 12), "calls 0–1: 1× each · call 2: 12×"),
        (crossings(1) + crossings(1, first=5), "call 0: 1× · call 5: 1×"),
        (crossings(*range(1, 10)), "call 0: 1× · call 1: 2× · call 2: 3× · call 3: 4× · "
         "call 4: 5× · 4 more calls"),
    ],
)  # fmt: skip
def test_calls_that_cross_alike_are_one(rows, said):
    assert per_call(site(per_call=rows), every=False) == said


def test_every_call_is_told_where_all_is_asked_for():
    assert per_call(site(per_call=crossings(*range(1, 10))), every=True).endswith("call 8: 9×")


def test_operations_before_and_after(report):
    frames = (
        frame(0, entry("0/0", 2), entry("0/1", 2)),
        frame(1, entry("1/0", 1), entry("1/1", 3)),
    )
    report = report.model_copy(update={"frames": frames})
    around = site(before=("0/0", "0/1"), after=("1/0", "1/1"))
    assert before_and_after(around, report) == [
        ("graphs", "2 ops before (g 0/0, 0/1), 1–3 ops after (g 1/0, 1/1)")
    ]
    assert before_and_after(site(before=("0/0",)), report) == [
        ("graphs", "2 ops before (g 0/0), nothing captured after")
    ]
    assert before_and_after(site(before=("0/0", "1/0"), after=("1/1",)), report) == [
        ("before", "2 ops (g 0/0), 1 op (g 1/0)"),
        ("after", "3 ops (g 1/1)"),
    ]


def test_nothing_is_around_a_frame_given_up(report):
    assert before_and_after(site(effect="skip_frame"), report) == []


def test_proven_advice_comes_before_torchs(report):
    advice = Finding(
        rule="r", severity="warning", message="m", advice="do this\nor do that", break_index=0
    )
    other = advice.model_copy(update={"break_index": 7, "advice": "not this"})
    report = report.model_copy(update={"graph_breaks": (SITE,), "findings": (other, advice)})
    text = told(breaks, report)
    words = ["do this (1 more under Findings, r)", "Because.", "Use this.", "Or that."]
    assert [text.index(word) for word in words] == sorted(text.index(word) for word in words)
    for word in ("not this", "a listing", "Or those.", "report an issue", "example.org"):
        assert word not in text
    every = told(breaks, report, verbose=True)
    for word in ("or do that", "a listing", "Or those.", "report an issue", "example.org"):
        assert word in every


def test_what_makes_a_frame_run_eagerly(report):
    given_up = frame(0, state="skipped", since=0, skip_reason="given up at line 3: Kind")
    report = report.model_copy(
        update={
            "graph_breaks": (site(effect="skip_frame", inside="loop", crossed=None),),
            "frames": (given_up,),
        }
    )
    text = " ".join(told(breaks, report).split())
    assert (
        "all of g runs eagerly, on every call: Dynamo cannot go on after a break inside a" in text
    )
    resumed = given_up.model_copy(update={"is_resume": True})
    text = told(breaks, report.model_copy(update={"frames": (resumed,)}))
    assert "the rest of g runs eagerly" in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_view(report, width):
    places = (
        SITE,
        site(index=1, near=Line(file="/w/u.py", line=3, text="z" * 300), code="y" * 300),
    )
    report = report.model_copy(update={"graph_breaks": places})
    assert max(map(len, told(breaks, report, width=width).splitlines())) <= width


def test_a_place_whose_source_is_not_to_be_read(report):
    report = report.model_copy(update={"graph_breaks": (site(context=()),)})
    assert re.search(r"f\.py:3 in g +print\(x\)", told(breaks, report))


def test_frames_given_up(report):
    reason = "given up at line 3: Kind inside a loop"
    sides = [
        frame(k, state="skipped", since=k, skip_reason=reason, is_resume=True) for k in range(2)
    ]
    whole = frame(2, state="skipped", since=1, skip_reason="Dynamo is switched off", function="h")
    limit = frame(3, entry("3/0", 1), state="limit", since=4, function="k")
    report = report.model_copy(update={"frames": (*sides, whole, limit)})
    text = " ".join(told(eager, report).split())
    assert text.count(reason) == 1
    assert "(2 resume functions)" in text
    assert "given up in call 0: nothing in it is compiled" in text
    assert "given up in call 1: nothing in it is compiled" in text
    assert text.count("functions it calls are still compiled") == 1  # not of one switched off
    assert "in call 4" in text
