"""One cause a source and way: what is told apart, what follows from another, what became of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynprobe.diagnose.causes import causes
from dynprobe.diagnose.forms import argument_of, class_of, form_of
from dynprobe.diagnose.recompiles import recompile_findings, words
from dynprobe.diagnose.rules import CAUSE_RULES
from dynprobe.diagnose.rules.plain import RECOMPILE
from dynprobe.diagnose.rules.sizes import SIZE_RULES
from dynprobe.diagnose.rules.tensors import TENSOR_RULES
from dynprobe.diagnose.rules.values import SPECIAL_VALUE_RULES, VALUE_RULES
from dynprobe.report import Against, DynamicDim, Entry, FailedGuard, Frame, Recompile, Specialised
from dynprobe.report.leading import distance

MINE = (*SIZE_RULES, *TENSOR_RULES, *VALUE_RULES, *SPECIAL_VALUE_RULES)


def row(source, kind, expected, actual, **more):
    return FailedGuard(
        source=source, kind=kind, expected=expected, actual=actual, **{"root": "argument", **more}
    )


def report_of(canonical, *missed, entries=(), resumed=False, dynamic="auto"):
    """A report in which call i + 1 missed with the rows of `missed[i]`, and made entry 0/i+1."""
    frame = Frame(
        key=0, function="f", file="f.py", line=1, state="compiled", entries=(entry(0), *entries),
        is_resume=resumed,
    )  # fmt: skip
    recompiles = tuple(
        Recompile(
            call=i + 1, frame="f", file="f.py", line=1, compile_id=f"0/{i + 1}",
            against=(Against(compile_id="0/0", torch_says="", failed=tuple(rows)),),
        )
        for i, rows in enumerate(missed)
    )  # fmt: skip
    settings = canonical.settings.model_copy(update={"dynamic": dynamic})
    return canonical.model_copy(
        update={"recompiles": recompiles, "frames": (frame,), "settings": settings}
    )


def entry(number, **more):
    return Entry(compile_id=f"0/{number}", call=number, guards=(), graph=None, **more)


def rules_of(cause):
    return [rule.id for rule in MINE if rule.matches(cause)]


def told(canonical, *rows, **more):
    """The rules that tell a report with one miss for each of `rows`."""
    return [rules_of(c) for c in causes(report_of(canonical, *[[r] for r in rows], **more))]


SYMBOL = DynamicDim(source="x", dim=0, symbol="s0", low=2, high=None)
CONSTANT = Specialised(source="x", dim=0, symbol="s0", value=5)


def test_a_size_and_its_later_range_are_two_causes(canonical):
    rows = [row("x.shape[0]", "size", "4", "9"), row("x.shape[0]", "size", "≥ 9", "5")]
    report = report_of(canonical, *[[r] for r in rows])
    assert [cause.values for cause in causes(report)] == [("4", "9"), ("≥ 9", "5")]


def test_a_number_guarded_as_value_and_then_as_symbol_is_one_cause(canonical):
    rows = [row("n", "value", "2", "3"), row("n", "symbolic", "3", "4")]
    (cause,) = causes(report_of(canonical, *[[r] for r in rows]))
    assert cause.values == ("2", "3", "4")
    assert cause.calls == (1, 2)


@pytest.mark.parametrize(
    ("leads", "follows"),
    [
        (row("x.shape[0]", "size", "4", "5"), row("x.stride()[0]", "stride", "4", "5")),
        (row("x", "type", "Tensor", "Parameter"),
         row("x.requires_grad", "requires_grad", "False", "True")),
        (row("x", "value", "None", "f32[3]"), row("x", "aliasing", "the same as y", "another")),
        (row("x.stride()[0]", "stride", "3", "0"), row("x._base.shape[0]", "size", "≥ 2", "1")),
    ],
)  # fmt: skip
def test_what_follows_from_another_row_is_no_cause(canonical, leads, follows):
    (cause,) = causes(report_of(canonical, [follows, leads]))
    assert cause.row == leads


def test_another_tensors_strides_do_not_follow(canonical):
    rows = [row("x.shape[0]", "size", "4", "5"), row("y.stride()[0]", "stride", "3", "1")]
    assert len(causes(report_of(canonical, rows))) == 2


def test_what_became_of_a_size(canonical):
    size = row("x.shape[0]", "size", "4", "5")

    def cause(**entry_fields):
        (found,) = causes(report_of(canonical, [size], entries=(entry(1, **entry_fields),)))
        return found

    assert cause(dynamic_dims=(SYMBOL,)).symbolic is True
    assert cause().symbolic is False
    assert cause(specialised=(CONSTANT,)).specialised == CONSTANT
    (none_made,) = causes(report_of(canonical, [size]))
    assert none_made.symbolic is None


def test_a_global_is_found_among_symbols(canonical):
    size = row("global x.shape[0]", "size", "4", "5", root="global")
    made = (entry(1, dynamic_dims=(SYMBOL,)),)
    (cause,) = causes(report_of(canonical, [size], entries=made))
    assert cause.symbolic is True


SIZE = row("x.shape[0]", "size", "4", "5", type="Tensor")
CASES = {
    "size-recompile": {"rows": [SIZE], "entries": (entry(1, dynamic_dims=(SYMBOL,)),)},
    "size-specialised": {"rows": [SIZE], "entries": (entry(1, specialised=(CONSTANT,)),)},
    "size-after-break": {"rows": [SIZE], "resumed": True},
    "dynamic-off": {"rows": [SIZE], "entries": (entry(1),), "dynamic": "false"},
    "parameter-size": {
        "rows": [SIZE.model_copy(update={"type": "Parameter"})],
        "entries": (entry(1),),
    },
    "array-size": {"rows": [row("from_numpy(x).shape[0]", "size", "4", "5")]},
    "size-zero-one": {"rows": [row("batch.x.shape[0]", "size", "≥ 2", "1")]},
    "size-zero-one-inside": {"rows": [row("x.shape[0]", "size", "4", "0")], "resumed": True},
    "duck-sizing": {
        "rows": [row("y.shape[0]", "size", "x.shape[0] (= 5)", "6", text="… duck sizing added …")]
    },
    "size-broadcast": {
        "rows": [row("y.shape[0]", "size", "x.shape[0] (= 5)", "1", text="… duck sizing added …")]
    },
    "size-condition": {
        "rows": [row("x.shape[0] % 4", "symbolic", "0", "1", code="if x.shape[0] % 4:")]
    },
    "size-range": {"rows": [row("x.shape[0]", "size", "≥ 5", "3", code="return x[:5]")]},
    "stride-change": {"rows": [row("x.stride()[1]", "stride", "≥ 2", "1")]},
    "tensor-class": {"rows": [row("x", "type", "Tensor", "Mine", text="check_tensor(L['x'], …")]},
    "type-change": {"rows": [row("x", "type", "Tensor", "list", text="check_tensor(L['x'], …")]},
    "optional-argument": {
        "rows": [row("x", "type", "Tensor", "NoneType", text="check_tensor(L['x'], …")]
    },
    "int-argument": {"rows": [row("n", "value", "2", "3")]},
    "float-argument": {"rows": [row("n", "value", "2.0", "1e-05")]},
    "nan-argument": {"rows": [row("not math.isnan(n)", "symbolic", "true", "false")]},
    "number-condition": {
        "rows": [row("self.gain", "value", "≤ 0.75", "0.8", code="if self.gain > 0.75:")]
    },
    "number-range": {"rows": [row("n", "value", "2 to 9", "12", code="return x[:n]")]},
    "bool-argument": {"rows": [row("flag", "value", "True", "False")]},
    "constant-argument": {"rows": [row("mode", "value", "'2 to 9'", "'sin'")]},
    "value-after-break": {"rows": [row("n", "value", "2", "3")], "resumed": True},
    "optimizer-scalar": {"rows": [row("opt.param_groups[0]['lr']", "value", "0.1", "0.05")]},
}


@pytest.mark.parametrize("rule", CASES)
def test_one_rule_tells_each_case(canonical, rule):
    case = dict(CASES[rule])
    assert told(canonical, *case.pop("rows"), **case) == [[rule]]


def test_a_size_that_stays_a_constant_for_no_known_reason_gets_no_advice(canonical):
    rows = [row("x.shape[0]", "size", "4", "5"), row("x.shape[0]", "size", "5", "6")]
    assert told(canonical, *rows, entries=(entry(1), entry(2))) == [[]]


SOURCES = st.sampled_from(
    ["x", "x.shape[0]", "batch.x.shape[1]", "x.shape[0] % 4", "from_numpy(x).shape[0]", "n",
     "x.stride()[0]", "x.dtype", "x.requires_grad", "self.n", "opt.param_groups[0]['lr']",
     "(value 0 kept over the break at line 3)", "global N", "not math.isnan(n)", ""]
)  # fmt: skip
VALUES = st.sampled_from(
    ["0", "1", "4", "-3", "≥ 2", "≤ 0.75", "2 to 8", "not 0", "y.shape[0] (= 4)", "0.5", "nan",
     "inf", "True", "None", "'a'", "b'a'", "f32[3]", "1j", "Tensor", "Parameter", "NoneType",
     "Mode.FAST", "the same as y", "made under inference mode", "conjugated lazily", ""]
)  # fmt: skip
KINDS = st.sampled_from(
    ["size", "stride", "dtype", "device", "requires_grad", "rank", "tensor", "value", "type",
     "identity", "attribute", "symbolic", "aliasing"]
)  # fmt: skip


@settings(max_examples=400)
@given(
    source=SOURCES, kind=KINDS, expected=VALUES, actual=VALUES, resumed=st.booleans(),
    dynamic=st.sampled_from(["auto", "true", "false"]),
    root=st.sampled_from(["argument", "kept", "global", "other"]),
    class_=st.sampled_from(["Tensor", "Parameter", "int", "Mode", None]),
    text=st.sampled_from(["check_tensor(L['x'], …", "… duck sizing added …", ""]),
    code=st.sampled_from(["if n:", "return x", None]),
    made=st.sampled_from(
        [(), (entry(1),), (entry(1, dynamic_dims=(SYMBOL,)),), (entry(1, specialised=(CONSTANT,)),)]
    ),
)  # fmt: skip
def test_no_two_rules_tell_one_cause(
    canonical, source, kind, expected, actual, resumed, dynamic, root, class_, text, code, made
):
    failed = row(source, kind, expected, actual, root=root, type=class_, text=text, code=code)
    report = report_of(canonical, [failed], entries=made, resumed=resumed, dynamic=dynamic)
    for cause in causes(report):
        rules = [rule for rule in MINE if rule.matches(cause)]
        assert len(rules) <= 1, [rule.id for rule in rules]
        for rule in rules:
            assert all(fix.text.format(**words(cause)) for fix in rule.fixes)


def test_every_rule_is_asked_before_the_one_for_all():
    assert CAUSE_RULES[-1] is RECOMPILE
    assert {*MINE} <= {*CAUSE_RULES}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("None", "none"), ("True", "bool"), ("-3", "int"), ("0.5", "float"), ("1e-05", "float"),
        ("-inf", "float"), ("nan", "float"), ("(1+2j)", "complex"), ("'1'", "text"),
        ("b'1'", "text"), ("f32[4,s0]", "tensor"), ("f64[]", "tensor"), ("Mode.FAST", "other"),
        ("≥ 2", "other"), ("i64", "other"),
    ],
)  # fmt: skip
def test_the_class_of_a_value(text, expected):
    assert class_of(text) == expected


@pytest.mark.parametrize(
    "number", [0, -1, 10**30, 0.1, -0.0, 1e300, 1e-7, float("inf"), float("-inf"), float("nan")]
)
def test_every_number_is_a_number(number):
    assert class_of(repr(number)) == type(number).__name__


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("n", "n"), ("2 <= n <= 9", "n"), ("n % 2", "n"), ("not math.isnan(n)", "n"),
        ("from_numpy(x)", "x"), ("x.n", None), ("xs[0]", None), ("n + m", None), ("", None),
        ("global N", None), ("(value 0 kept over the break at line 3)", None), ("(" * 999, None),
    ],
)  # fmt: skip
def test_the_argument_of_a_source(source, name):
    assert argument_of(source) == name


def test_a_size_in_a_range_from_two_is_zero_one_only_where_it_is():
    assert form_of(row("x.shape[0]", "size", "2 to 8", "1")) == "zero_one"
    assert form_of(row("x.shape[0]", "size", "2 to 8", "9")) == "condition"
    assert form_of(row("x.shape[0]", "size", "≥ 9", "1")) == "condition"


def test_an_item_beyond_the_new_length_is_told_by_the_length(canonical):
    rows = [row("len(global XS)", "length", "2", "1"),
            row("global XS[1]", "length", "there", "missing"),
            row("global YS[1]", "length", "there", "missing")]  # fmt: skip
    found = causes(report_of(canonical, rows))
    assert [cause.row.source for cause in found] == ["len(global XS)", "global YS[1]"]


def test_that_it_is_another_object_says_that_it_is_no_other_argument(canonical):
    rows = [row("m", "identity", "the same Mode", "Mode.B", type="Mode"),
            row("m", "aliasing", "the same as Mode.A", "another object")]  # fmt: skip
    (cause,) = causes(report_of(canonical, rows))
    assert cause.row.kind == "identity"


def test_what_came_is_told_in_order_and_what_was_expected_once(canonical):
    pairs = [("None", "f32[1]"), ("None", "f32[2]"), ("None", "f32[3]")]
    report = report_of(canonical, *[[row("s.k", "value", was, now)] for was, now in pairs])
    (cause,) = causes(report)
    assert cause.values == ("None", "f32[1]", "f32[2]", "f32[3]")


def test_recompiles_are_counted_and_not_calls(canonical):
    """Four layers that share their code recompile three times in one call."""
    report = report_of(canonical, *[[row("s.i", "value", str(i), str(i + 1))] for i in range(3)])
    missed = tuple(r.model_copy(update={"call": 0}) for r in report.recompiles)
    (finding,) = recompile_findings(report.model_copy(update={"recompiles": missed}))
    assert finding.message == "s.i changed (0 → 1 → 2 → 3): recompiled 3 times"
    assert finding.severity == "warning"


def test_a_function_written_on_one_line_is_not_taken_for_its_own_rest(canonical):
    """Its resume function has the same line and name."""
    report = report_of(canonical, [row("x.shape[0]", "size", "4", "5")])
    rest = Frame(key=1, function="f", file="f.py", line=1, state="compiled", is_resume=True)
    (cause,) = causes(report.model_copy(update={"frames": (*report.frames, rest)}))
    assert not cause.resumed


@pytest.mark.parametrize(
    ("failed", "differ"),
    [
        ([row("x.shape[0]", "size", "4", "5"), row("x.stride()[0]", "stride", "4", "5")], 1),
        ([row("x.shape[0] % 2", "symbolic", "0", "1"),
          row("2 * (x.shape[0] // 2)", "symbolic", "x.shape[0] (= 7)", "6")], 1),
        ([row("x.shape[0]", "size", "4", "5"), row("x.shape[1]", "size", "4", "5")], 2),
        ([row("x.shape[1] % 2", "symbolic", "0", "1"),
          row("x.shape[1] * x.shape[0]", "symbolic", "12", "15")], 1),
        ([], 0),
    ],
)  # fmt: skip
def test_how_many_things_differ(failed, differ):
    assert distance(failed) == differ
