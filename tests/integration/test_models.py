"""Models of `transformers` as they are: tiny, random weights, nothing downloaded."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch._dynamo.utils import counters

import dynprobe

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hf():
    spec = importlib.util.spec_from_file_location("hf", ROOT / "examples" / "hf.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hf"] = module
    spec.loader.exec_module(module)
    return module


def tokens(*shape):
    return torch.randint(0, 100, shape, generator=torch.Generator().manual_seed(0))


def inputs_of(name, length):
    kwargs = {"input_ids": tokens(2, length)}
    if name == "t5":
        kwargs["decoder_input_ids"] = tokens(2, 4)
    return kwargs


def torchs_own(model, calls):
    """torch's counters and the ops that ran, without dynprobe."""
    torch._dynamo.reset()
    counters.clear()
    ran = []

    def backend(gm, _):
        ops = sum(n.op.startswith("call") for n in gm.graph.nodes)

        def run(*args):
            ran.append(ops)
            return gm.forward(*args)

        return run

    compiled = torch.compile(model, backend=backend)
    rows = []
    for kwargs in calls:
        ran.clear()
        compiled(**kwargs)
        stats = counters["stats"]
        rows.append((stats["calls_captured"], stats["unique_graphs"], len(ran), sum(ran)))
    return rows


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5"])
def test_beside_torchs_own_counters(hf, name):
    model = getattr(hf, name)
    calls = [inputs_of(name, length) for length in (8, 8, 9)]
    expected = torchs_own(model, calls)
    torch._dynamo.reset()
    report = dynprobe.explain(model, [((), kwargs) for kwargs in calls])
    mine = [(c.calls_captured, c.unique_graphs, c.graph_runs, c.ops_run) for c in report.calls]
    assert mine == expected
    assert report.unknown == ()
    assert [c.outcome for c in report.calls] == ["capture", "hit", "recompile"]


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5"])
def test_names_are_the_users(hf, name):
    """Arguments that pass through a decorator's **kwargs, parameters, submodules."""
    report = dynprobe.explain(getattr(hf, name), [((), inputs_of(name, n)) for n in (8, 9)])
    sources = {row.source for r in report.recompiles for a in r.against for row in a.failed}
    assert "input_ids.shape[1]" in sources
    guards = [g for f in report.frames for e in f.entries for g in e.guards]
    for guard in guards:
        assert "_modules[" not in guard.source
        assert "_parameters[" not in guard.source
        assert "['kwargs']" not in guard.source
    assert any(g.source.startswith("self.") for g in guards)
    frame = report.frames[0]
    assert frame.function.endswith(".forward")
    assert f"modeling_{name}" in frame.file
    assert report.recompiles[0].dynamic_dims[0] == "input_ids.shape[1]"


@pytest.fixture(scope="module")
def llama_run(tmp_path_factory):
    """The command of the documentation, as a person types it."""
    saved = tmp_path_factory.mktemp("llama") / "report.json"
    run = subprocess.run(
        [
            sys.executable, "-m", "dynprobe", "explain", "examples/hf.py:llama",
            "--call", "input_ids=2x8xi64:randint=100", "--call", "input_ids=2x9xi64:randint=100",
            "--width", "120", "-o", str(saved),
        ],
        cwd=ROOT, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout, json.loads(saved.read_text())


def test_llama_fits_a_screen(llama_run):
    text, _ = llama_run
    assert "2 calls: capture, recompile; no graph break" in text
    assert "input_ids.shape[1]" in text
    assert len(text.splitlines()) <= 60


def test_llama_in_json(llama_run):
    _, report = llama_run
    assert len(report["frames"][0]["entries"][0]["guards"]) > 200
    assert report["counters"]["calls_captured"] == sum(
        len(e["graph"]["ops"]) for f in report["frames"] for e in f["entries"]
    )
    failed = report["recompiles"][0]["against"][0]["failed"]
    assert ("input_ids.shape[1]", "8", "9") in [
        (row["source"], row["expected"], row["actual"]) for row in failed
    ]
