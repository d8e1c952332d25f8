"""Guards on the items of dicts that are iterated over, containers of modules among them: torch
keeps them apart from all others in its guard tree."""

from __future__ import annotations

import torch

from dynprobe import Call, explain
from dynprobe.report import Against, Report


class Scale(torch.nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = by

    def forward(self, x):
        return x * self.by


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = torch.nn.ModuleList(Scale(by) for by in (2.0, 3.0))

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


def scaled(x, conf):
    for by in conf.values():
        x = x * by
    return x


def against(report: Report) -> Against:
    (recompile,) = report.recompiles
    return recompile.against[0]


def test_the_attribute_of_a_module_in_a_list_is_named():
    net = Net()

    def change() -> None:
        net.parts[1].by = 9.0

    x = torch.ones(2)
    report = explain(net, [Call((x,)), Call((x,), before=change)])
    (failed,) = against(report).failed
    assert (failed.source, failed.expected, failed.actual) == ("self.parts[1].by", "3.0", "9.0")
    assert failed.first
    guards = {g.source: g for g in report.frames[0].entries[0].guards}
    assert guards["self.parts[0].by"].condition == "== 2.0"
    assert guards["list(self.parts._modules)[0]"].origin == "library"


def test_a_dict_with_another_key_is_told_by_the_key():
    x = torch.ones(2)
    report = explain(scaled, [Call((x, {"a": 2, "b": 3})), Call((x, {"a": 2, "c": 3}))])
    rows = [(row.source, row.expected, row.actual) for row in against(report).failed]
    assert rows == [("list(conf)[1]", "'b'", "'c'"), ("conf['b']", "there", "missing")]


def test_a_dict_of_another_length_is_told_by_its_length():
    x = torch.ones(2)
    report = explain(scaled, [Call((x, {"a": 2})), Call((x, {"a": 2, "b": 3}))])
    (failed,) = against(report).failed
    assert (failed.source, failed.kind) == ("len(conf)", "length")
    assert (failed.expected, failed.actual) == ("1", "2")
    assert failed.first
    assert failed.code == "for by in conf.values():"
