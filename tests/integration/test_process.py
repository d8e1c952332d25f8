"""Targets that end badly, in a real worker process. Most run an observation without torch
(`hostile/fake_entry.py`), so that each costs a fraction of a second."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynprobe.errors import ExitCode, GrammarError, InputError, InternalError, TargetError
from dynprobe.observe.process.start import start_worker
from dynprobe.report import End, Report
from dynprobe.spec.calls import parse_shapes
from dynprobe.spec.model import ArgSpec, CallSpec, LiteralSpec, Options, Probe, TargetSpec
from dynprobe.spec.target import parse_target

HOSTILE = Path(__file__).parent / "hostile"
FAKE = "fake_entry:observe"


@pytest.fixture(autouse=True)
def _hostile_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HOSTILE))
    monkeypatch.chdir(HOSTILE.parent)


def probe_of(name: str, *, module: str = "fake_targets", calls: int = 3, timeout: float = 30):
    target = TargetSpec(text=f"{module}:{name}", module=module, file=None, steps=(name,))
    call = CallSpec(args=(ArgSpec(LiteralSpec(0)),))
    return Probe(target=target, calls=(call,) * calls, options=Options(timeout=timeout))


def observed(name: str, *, entry: str = FAKE, **kwargs) -> Report:
    with start_worker(probe_of(name, **kwargs), entry=entry) as worker:
        return worker.finish()


def line_of(name: str, text: str, file: str = "fake_targets.py") -> int:
    """The first line after `def name` that has `text`."""
    lines = (HOSTILE / file).read_text().splitlines()
    start = lines.index(f"def {name}():")
    return next(n for n, line in enumerate(lines[start:], start + 1) if text in line)


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def assert_gone(pid: int) -> None:
    until = time.monotonic() + 5
    while is_alive(pid):
        assert time.monotonic() < until, f"process {pid} still runs"
        time.sleep(0.01)


# What ends the process during call 1: the kind of the end and of the call's error, what is said,
# and the text of the line it says it at.
AT = r" at hostile/fake_targets\.py:{line} \(_{name}\)"
LATE = "ran out of time after 1 s"
LOST = "closed the file descriptor through which dynprobe reports"
ENDINGS = {
    "segfault": ("crashed", "crashed", "crashed with SIGSEGV" + AT, "string_at"),
    "abort": ("crashed", "crashed", "crashed with SIGABRT" + AT, "os.abort"),
    "out_of_memory": (
        "killed",
        "killed",
        r"was killed \(SIGKILL\), perhaps for lack of memory",
        "",
    ),
    "terminated": ("killed", "killed", r"was killed \(SIGTERM\)", ""),
    "exit_3": ("exited", "exited", "ended the process with exit code 3", ""),
    "exit_0": ("exited", "exited", "ended the process with exit code 0", ""),
    "leave_a_fork": ("exited", "exited", "ended the process with exit code 5", ""),
    "close_everything": ("failed", "exited", LOST, ""),
    "slow": ("timeout", "timeout", LATE + AT, "time.sleep"),
    "holds_the_gil": ("timeout", "timeout", LATE + AT, "sleep(600)"),
    "hang_with_handlers": ("timeout", "timeout", LATE, ""),
    "stopped": ("timeout", "timeout", LATE, ""),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_ends_the_process_is_told_and_the_calls_before_are_kept(name: str) -> None:
    kind, error_kind, said, text = ENDINGS[name]
    line = line_of(f"_{name}", text) if text else None
    report = observed(name, timeout=1 if kind == "timeout" else 30)
    assert (report.end.kind, report.end.complete, report.end.during_call) == (kind, False, 1)
    assert re.fullmatch("call 1 " + said.format(line=line, name=name), report.end.message)
    first, second = report.calls
    assert (first.outcome, first.error) == ("capture", None)
    assert (second.outcome, second.inputs) == ("error", ("1",))
    assert second.error is not None
    assert second.error.kind == error_kind
    assert f"call 1 {second.error.message}" == report.end.message
    where = second.error.where
    assert (where and where.line) == line


# What a target may do and the observation goes on: the error of call 1, if any.
SURVIVED = {
    "base_exception": "Rude",
    "sys_exit": "SystemExit",
    "recurse": "RecursionError",
    "close_low": None,
    "replace_streams": None,
    "mute_stdout": None,
    "chdir": None,
    "fork_returns": None,
    "fork_crashes": None,
    "endless_thread": None,
    "leave_a_child": None,
    "read_stdin": None,
    "handlers": None,
}


@pytest.mark.parametrize("name", SURVIVED)
def test_what_a_target_may_do(name: str) -> None:
    report = observed(name)
    assert (report.end.kind, report.end.complete) == ("done", True)
    assert [call.index for call in report.calls] == [0, 1, 2]
    error = report.calls[1].error
    assert (error.type if error else None) == SURVIVED[name]
    assert report.calls[2].error is None


@pytest.mark.parametrize("name", ["leave_a_child", "leave_a_fork"])
def test_what_the_target_left_behind_is_ended(name: str, capfd) -> None:
    observed(name)
    assert_gone(int(re.search(r"child (\d+)", capfd.readouterr().err)[1]))


def test_all_that_the_target_prints_goes_to_standard_error(capfd) -> None:
    observed("print_everywhere")
    printed = capfd.readouterr()
    assert printed.out == ""
    for words in ("by print", "by os.write", "by C", "by a subprocess"):
        assert words in printed.err.splitlines()


def test_without_standard_error_it_still_observes() -> None:
    code = (
        "import os; os.close(2); import test_process as t;"
        "print(t.observed('print_everywhere').end.kind)"
    )
    path = os.pathsep.join([str(HOSTILE), str(HOSTILE.parent)])
    env = os.environ | {"PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "done\n"


def test_each_call_has_the_time_limit_to_itself() -> None:
    report = observed("quick", calls=4, timeout=0.5)
    assert report.end.kind == "done"
    assert len(report.calls) == 4


def test_a_worker_that_gets_no_order_ends() -> None:
    with start_worker(entry=FAKE) as worker:
        assert worker.returncode() is None
    assert worker.returncode() is not None


def test_events_are_told_as_they_come() -> None:
    seen = []
    with start_worker(entry=FAKE) as worker:
        worker.send(probe_of("chdir", calls=1))
        worker.finish(lambda event: seen.append(event.event))
    assert seen == ["started", "loaded", "began", "patch", "finished"]


LOADING = {
    "import_segfault": ("crashed with SIGSEGV at hostile/import_segfault.py:5 (<module>)", None),
    "import_exit": ("ended the process with exit code 3", None),
    "import_hang": (
        "ran out of time after 1 s at hostile/import_hang.py:5 (<module>)",
        "give it more time with --timeout SECONDS",
    ),
}


@pytest.mark.parametrize("module", LOADING)
def test_a_bad_end_while_loading_is_an_error_of_the_target(module: str) -> None:
    said, hint = LOADING[module]
    with pytest.raises(TargetError) as caught:
        observed("f", module=module, timeout=1)
    assert caught.value.message == f"loading {module}:f {said}"
    assert caught.value.hint == hint
    assert caught.value.exit_code == ExitCode.TARGET


FAILED = {"not_there": TargetError, "too_large": InputError, "unreadable": GrammarError}


@pytest.mark.parametrize("name", FAILED)
def test_an_error_comes_back_as_it_was_raised(name: str) -> None:
    from hostile.fake_entry import FAILURES

    with pytest.raises(FAILED[name]) as caught:
        observed(name)
    assert vars(caught.value) == {"exit_code": ExitCode.USAGE} | vars(FAILURES[name])


def test_a_failure_after_calls_keeps_their_facts() -> None:
    report = observed("fails_late")
    assert (report.end.kind, report.end.complete) == ("failed", False)
    assert report.end.message == "the values of call 3 cannot be made"
    assert len(report.calls) == 3


def test_a_crash_in_a_repeated_call_leaves_its_row() -> None:
    report = observed("f", entry="fake_entry:raises_then_eager_crashes")
    says = "call 0, made once more without torch.compile, crashed with SIGABRT"
    assert report.end.message.startswith(says)
    (row,) = report.calls
    assert row.error is not None
    assert (row.error.type, row.error.message, row.error.eager_raises) == ("Error", "no", None)
    assert row.error.eager_error.startswith("crashed with SIGABRT at hostile/fake_entry.py:")


def test_a_fault_of_ours_is_told_as_one() -> None:
    with pytest.raises(InternalError, match="ZeroDivisionError: a fault of ours") as caught:
        observed("f", entry="fake_entry:broken")
    assert "fake_entry.py" in caught.value.detail


def test_torch_that_cannot_be_imported_is_told() -> None:
    with pytest.raises(
        TargetError, match="torch cannot be imported: ModuleNotFoundError"
    ) as caught:
        observed("f", entry="no_such_module:observe")
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_target_that_interrupts_as_it_is_imported() -> None:
    with pytest.raises(TargetError, match="the target raised KeyboardInterrupt, as Ctrl-C does"):
        observed("f", module="import_interrupt")


PARENT = """
import test_process as t
with t.start_worker(t.probe_of({name!r}), entry=t.FAKE) as worker:
    print(worker.pid, flush=True)
    def told(event):
        if event.event == "began" and event.index == 1:
            print("began", flush=True)
    report = worker.finish(told)
print(report.end.kind, report.end.message, len(report.calls), report.calls[1].error.kind, sep="|")
"""


def parent_of(name: str) -> tuple[subprocess.Popen[str], int]:
    """A process that observes, and its worker's process id, once the target hangs."""
    path = os.pathsep.join([str(HOSTILE), str(HOSTILE.parent)])
    env = os.environ | {"PYTHONPATH": path}
    words = [sys.executable, "-c", PARENT.format(name=name)]
    pipe = subprocess.PIPE
    parent = subprocess.Popen(words, env=env, stdout=pipe, stderr=pipe, text=True)
    worker = int(parent.stdout.readline())
    assert parent.stdout.readline() == "began\n"
    assert parent.stderr.readline() == "hanging\n"  # said by the target
    return parent, worker


def test_an_interrupt_ends_the_worker_and_keeps_the_facts() -> None:
    parent, worker = parent_of("says_and_hangs")
    with parent:
        parent.send_signal(signal.SIGINT)
        kind, message, calls, error_kind = parent.stdout.read().strip().split("|")
    assert (kind, calls, error_kind) == ("interrupted", "2", "killed")
    line = line_of("_says_and_hangs", "sleep")
    place = f"hostile/fake_targets.py:{line} (_says_and_hangs)"
    assert message == f"call 1 was interrupted at {place}"
    assert_gone(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_worker_dies_with_its_parent() -> None:
    parent, worker = parent_of("says_and_hangs")
    with parent:
        parent.kill()
    assert_gone(worker)


def test_starting_a_worker_imports_nothing_slow() -> None:
    code = (
        "import sys, dynprobe.observe.process.start;"
        "slow = {'torch', 'numpy', 'rich', 'typer', 'pydantic', 'jax', 'tempfile', 'asyncio'};"
        "print(sorted(slow & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# With real torch


def torch_probe(name: str, shapes: str, **options) -> Probe:
    target = parse_target(f"{HOSTILE / 'torch_targets.py'}:{name}")
    return Probe(target=target, calls=tuple(parse_shapes(shapes)), options=Options(**options))


def torch_observed(name: str, shapes: str, **options) -> Report:
    with start_worker() as worker:
        worker.send(torch_probe(name, shapes, **options))
        return worker.finish()


def test_a_plain_function_is_observed() -> None:
    report = torch_observed("plain", "4,4,5,6", recompile_limit=3)
    assert report.end == End(complete=True, kind="done")
    assert [call.outcome for call in report.calls] == ["capture", "hit", "recompile", "hit"]
    assert [call.inputs for call in report.calls] == [
        ("f32[4]",),
        ("f32[4]",),
        ("f32[5]",),
        ("f32[6]",),
    ]
    counters = report.counters
    assert (counters.calls_captured, counters.unique_graphs, counters.recompiles) == (4, 2, 1)
    assert report.settings.recompile_limit == 3
    assert report.settings.in_process is False
    assert report.environment.torch
    assert report.cwd == os.getcwd()
    assert len(report.frames[0].entries) == 2


def test_torch_that_hangs_keeps_the_calls_before() -> None:
    report = torch_observed("hangs", "4,5,4", timeout=2)
    line = line_of("_hang", "time.sleep", "torch_targets.py")
    place = f"hostile/torch_targets.py:{line} (_hang)"
    assert report.end.message == f"call 1 ran out of time after 2 s at {place}"
    assert [call.outcome for call in report.calls] == ["capture", "error"]
    assert report.calls[1].inputs == ("f32[5]",)
    assert report.counters.calls_captured == report.calls[0].calls_captured > 0


def test_torch_that_crashes_keeps_the_calls_before() -> None:
    report = torch_observed("crashes", "4,5,4")
    line = line_of("_crash", "string_at", "torch_targets.py")
    place = f"hostile/torch_targets.py:{line} (_crash)"
    assert report.end.message == f"call 1 crashed with SIGSEGV at {place}"
    assert [call.outcome for call in report.calls] == ["capture", "error"]


def test_a_target_that_resets_all_it_can_is_still_observed(capfd) -> None:
    report = torch_observed("resets", "4,5,4")
    assert report.end.kind == "done"
    assert [call.index for call in report.calls] == [0, 1, 2]
    assert report.calls[2].outcome == "capture"
    printed = capfd.readouterr()
    assert printed.out == ""
    assert {"printed", "written"} <= set(printed.err.splitlines())


def test_whatever_a_target_raises_is_the_error_of_its_call() -> None:
    report = torch_observed("raises", "4,5,6,7,4")
    assert report.end.kind == "done"
    errors = [call.error.type.rpartition(".")[2] if call.error else None for call in report.calls]
    assert errors == [None, "Rude", "SystemExit", "KeyboardInterrupt", None]
    assert all(call.error.eager_raises for call in report.calls if call.error)


def test_a_target_that_is_not_there_is_an_error() -> None:
    with pytest.raises(TargetError, match="has no 'plane': did you mean 'plain'"):
        torch_observed("plane", "4")
