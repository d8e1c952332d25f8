"""The section "What hits": shown by -v, folded to a screen."""

from __future__ import annotations

from dynprobe.render import View, renderer
from dynprobe.report import Accepts, GuardKind, Report


def row(source: str, kind: GuardKind, text: str, *values: str) -> Accepts:
    return Accepts(
        function="f", source=source, kind=kind, text=text, values=values, entries=("0/0",)
    )


def section(canonical: Report, *rows: Accepts, width: int = 100, **view) -> list[str]:
    report = canonical.model_copy(update={"accepts": rows})
    text = renderer("text").render(report, View(width=width, **view))
    _, found, tail = text.partition("\nWhat hits\n")
    return tail.partition("\n\n")[0].splitlines() if found else []


TENSOR = (
    row("x", "rank", "2 dimensions only", "2"),
    row("x.dtype", "dtype", "f32 or f16", "f32", "f16"),
    row("x.device", "device", "cpu only", "cpu"),
    row("x.requires_grad", "requires_grad", "False only", "False"),
    row("x.stride()", "stride", "contiguous only", "contiguous"),
    row("mode", "value", "'sin' only", "'sin'"),
    row("x.shape[0]", "size", "any size ≥ 2; 0 and 1 recompile"),
)


def test_only_where_asked_for(canonical: Report) -> None:
    assert section(canonical, *TENSOR) == []


def test_a_tensor_takes_a_line_and_its_sizes_follow(canonical: Report) -> None:
    assert section(canonical, *TENSOR, verbose=True) == [
        "  f  0/0",
        "    x           2 dimensions, f32 or f16, no grad",
        "    x.shape[0]  any size ≥ 2; 0 and 1 recompile",
        "    mode        'sin' only",
    ]


def test_what_is_out_of_the_ordinary_is_told(canonical: Report) -> None:
    odd = (
        row("x", "rank", "1 or 2 dimensions; any other runs eagerly", "1", "2"),
        row("x.dtype", "dtype", "f32 only", "f32"),
        row("x.device", "device", "cuda:0 only", "cuda:0"),
        row("x.requires_grad", "requires_grad", "True or False", "True", "False"),
        row("x.stride()", "stride", "(1, 4) only", "(1, 4)"),
    )
    said = " ".join(" ".join(section(canonical, *odd, verbose=True)).split())
    for part in ("on cuda:0", "with grad or without", "strides (1, 4)", "any other runs eagerly"):
        assert part in said


def test_a_large_model_fits_a_screen(canonical: Report) -> None:
    rows = []
    for i in range(400):
        rows.append(row(f"self.layers[{i}].weight", "tensor", "f32[8,8] only"))
        rows.append(row(f"self.layers[{i}].eps", "value", "1e-05 only"))
        rows.append(row(f"self.layers[{i}].index", "value", f"{i} only"))
        rows.append(row(f"self.odd_{'abcdefghij'[i % 10] * (i + 1)}", "value", "1 only"))
    lines = section(canonical, *rows, verbose=True, width=500)
    assert len(lines) < 40
    assert "    self.layers[*].eps ×400" in lines[1]
    assert "0 only and the like" in lines[2]
    assert "more sources" in lines[-2]
    assert lines[-1].strip() == "400 parameters and buffers as captured"


def test_all_of_it_where_asked_for(canonical: Report) -> None:
    rows = [row(f"self.w{i}", "tensor", "f32[8,8] only") for i in range(50)]
    lines = section(canonical, *rows, verbose=True, all_guards=True)
    assert len(lines) == 51
