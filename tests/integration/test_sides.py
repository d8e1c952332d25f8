"""Observations side by side, in real processes without torch (`hostile/fake_entry.py`): what
becomes of a side costs its own facts alone, and what each call printed is told apart."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from dynprobe.errors import TargetError
from dynprobe.observe import beside, sides
from dynprobe.observe.process.follow import follow
from dynprobe.observe.process.printed import MOST_IN_ALL, MOST_OF_A_CALL
from dynprobe.observe.process.start import start_worker
from dynprobe.observe.sides import Seen, Side, Sides
from dynprobe.report import Report, Unknown
from dynprobe.spec.model import ArgSpec, CallSpec, LiteralSpec, Options, Probe, TargetSpec

HOSTILE = Path(__file__).parent / "hostile"
FAKE = "fake_entry:observe"


@pytest.fixture(autouse=True)
def meet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(HOSTILE))
    monkeypatch.setenv("MEET", str(tmp_path))
    return tmp_path


def probe_of(name: str, *, module: str = "side_targets", calls: int = 3, timeout: float = 30):
    target = TargetSpec(text=f"{module}:{name}", module=module, file=None, steps=(name,))
    call = CallSpec(args=(ArgSpec(LiteralSpec(0)),))
    return Probe(target=target, calls=(call,) * calls, options=Options(timeout=timeout))


def side(name: str, *, entry: str = FAKE, kept: bool = False, **kwargs) -> Side:
    return Side(name, entry, probe_of(name, **kwargs), noted, kept)


def noted(report: Report, main: Seen, side: Seen) -> Report:
    """The side's story as an `unknown` of the report: how many calls it told, why no more."""
    calls = len(side.followed.seen.calls) if side.followed else 0
    fact = Unknown(what=f"{calls} calls", reason=str(side.unknown))
    return report.model_copy(update={"unknown": (*report.unknown, fact)})


def observed(main: str, *others: Side, **kwargs) -> Report:
    with Sides(probe_of(main, **kwargs), others, entry=FAKE) as running:
        running.follow()
        return running.report()


def told(report: Report) -> list[tuple[str, str]]:
    return [(fact.what, fact.reason) for fact in report.unknown]


def assert_whole(report: Report) -> None:
    assert (report.end.kind, report.end.complete) == ("done", True)
    assert [(call.index, call.error) for call in report.calls] == [(0, None), (1, None), (2, None)]


def assert_gone(pid: int) -> None:
    until = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists():
        stat = Path(f"/proc/{pid}/stat").read_text()
        if stat.rpartition(")")[2].split()[0] == "Z":
            return
        assert time.monotonic() < until, f"process {pid} still runs"
        time.sleep(0.01)


def test_all_run_at_once():
    """Each waits for the other to be in its first call."""
    report = observed("meets_b", side("meets_a"))
    assert_whole(report)
    assert told(report) == [("3 calls", "None")]


ENDINGS = {
    "aborts": r"call 1 crashed with SIGABRT at .*side_targets\.py:\d+ \(aborts\)",
    "leaves": r"call 1 ended the process with exit code 3",
    "hangs_quietly": r"call 1 ran out of time after 1 s at .*side_targets\.py:\d+ \(.*\)",
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_side_that_ends_badly_costs_its_own_facts(name):
    report = observed("quick", side(name, timeout=1), side("says"))
    assert_whole(report)
    (what, reason), other = told(report)
    assert what == "1 calls"
    assert re.fullmatch(ENDINGS[name], reason)
    assert other == ("3 calls", "None")


BROKEN = {
    "no_such_module:observe": "torch cannot be imported: ModuleNotFoundError: No module named "
    "'no_such_module'",
    "fake_entry:broken": "the observation itself failed: ZeroDivisionError: a fault of ours",
}


@pytest.mark.parametrize("entry", BROKEN)
def test_a_side_that_cannot_run_costs_its_own_facts(entry):
    report = observed("quick", side("quick", entry=entry))
    assert_whole(report)
    assert told(report) == [("0 calls", BROKEN[entry])]


def test_a_side_whose_target_cannot_be_loaded_costs_its_own_facts():
    report = observed("quick", side("not_there"))
    assert_whole(report)
    assert told(report) == [("0 calls", "no such module")]


def test_a_side_that_cannot_be_started_costs_its_own_facts(monkeypatch):
    def only_the_main_one(probe, *, shown=True, **kwargs):
        if not shown:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return start_worker(probe, shown=shown, **kwargs)

    monkeypatch.setattr(sides, "start_worker", only_the_main_one)
    report = observed("quick", side("quick"))
    assert_whole(report)
    why = "its process could not be started: Resource temporarily unavailable"
    assert told(report) == [("0 calls", why)]


def test_a_fault_in_merging_costs_its_own_facts():
    def fails(report, main, side):
        raise ZeroDivisionError("ours")

    broken = Side("what it costs", FAKE, probe_of("quick"), fails)
    report = observed("quick", broken, side("quick"))
    assert_whole(report)
    fault = ("what it costs", "a fault of dynprobe itself: ZeroDivisionError: ours")
    assert told(report) == [fault, ("3 calls", "None")]


def test_a_main_target_that_cannot_be_loaded_ends_the_sides(meet):
    running = Sides(probe_of("not_there"), [side("hangs_quietly")], entry=FAKE)
    begun = time.monotonic()
    with pytest.raises(TargetError, match="no such module"), running:
        running.follow()
    assert time.monotonic() - begun < 20  # the side would take its 30 s
    assert running.going_on == ()


def test_a_main_side_that_crashes_keeps_what_the_others_told():
    report = observed("aborts", side("quick"))
    assert report.end.kind == "crashed"
    assert len(report.calls) == 2
    assert told(report) == [("3 calls", "None")]


def test_what_a_side_prints_is_not_shown(capfd):
    observed("says", side("says"), side("says", kept=True))
    shown = capfd.readouterr()
    assert shown.out == ""
    lines = [f"{how} {index}" for index in range(3) for how in ("python", "to stderr")]
    assert sorted(shown.err.splitlines()) == sorted(lines)


PARENT = """
import sys, test_sides as t
with t.Sides(t.probe_of(sys.argv[1]), [t.side("hangs_quietly")], entry=t.FAKE) as running:
    running.follow()
    print("main has ended", flush=True)
    report = running.report()
print(report.end.kind, report.end.message, len(report.calls), t.told(report), sep="|")
"""


def parent_of(name: str, meet: Path) -> tuple[subprocess.Popen[str], int]:
    """A process that observes, and its side's process id once that hangs."""
    path = os.pathsep.join([str(HOSTILE), str(HOSTILE.parent)])
    env = os.environ | {"PYTHONPATH": path, "MEET": str(meet)}
    words = [sys.executable, "-c", PARENT, name]
    parent = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
    return parent, int(written(meet / "pid"))


def written(path: Path) -> str:
    until = time.monotonic() + 20
    while not path.exists() or not path.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    return path.read_text()


def test_an_interrupt_while_a_side_goes_on_gives_the_main_report(meet):
    parent, pid = parent_of("quick", meet)
    with parent:
        assert parent.stdout.readline() == "main has ended\n"
        time.sleep(0.3)  # it waits now
        parent.send_signal(signal.SIGINT)
        kind, message, calls, facts = parent.stdout.read().strip().split("|")
    assert (kind, calls) == ("interrupted", "3")
    assert message == "interrupted while waiting for hangs_quietly"
    assert facts == str([("1 calls", sides.INTERRUPTED)])
    assert_gone(pid)


def test_an_interrupt_of_the_main_side_ends_all(meet):
    parent, pid = parent_of("meets_b", meet)  # nobody comes
    with parent:
        written(meet / "a")  # by the main target
        time.sleep(0.3)  # what it told is read
        parent.send_signal(signal.SIGINT)
        ended, last = parent.stdout.read().strip().split("\n")
    assert ended == "main has ended"
    assert last.startswith("interrupted|call 0 was interrupted at ")
    assert last.endswith(str([("1 calls", sides.INTERRUPTED)]))
    assert_gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_sides_die_with_their_parent(meet):
    parent, pid = parent_of("quick", meet)
    with parent:
        parent.kill()
    assert_gone(pid)


# What each call printed


def printed(name: str, *, shown: bool = False, **kwargs) -> dict[int, str]:
    probe = probe_of(name, **kwargs)
    with start_worker(probe, entry=FAKE, shown=shown, kept=True) as worker:
        return dict(follow(worker).printed)


def test_each_call_has_what_it_printed_in_whatever_way():
    parts = "python {0}, C {0}, descriptor {0}, child {0}, \nnot flushed {0}"
    assert printed("prints_in_every_way") == {i: parts.format(i) for i in range(3)}


def test_a_thousand_chatty_calls_are_told_apart():
    """The worker runs ahead of the one who reads: events and texts still belong together."""
    texts = printed("chats", calls=1000)
    assert texts == {
        i: "".join(f"call {i} line {line}\n" for line in range(20)) for i in range(1000)
    }


def test_a_flood_is_cut_and_its_size_told():
    """100 MB in the first call, 10 MB in each of 19 more: neither hangs nor takes the memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    texts = printed("floods", calls=20)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 100  # MiB
    first = texts[0]
    kept, _, note = first.rpartition("\n… and ")
    assert len(kept) == MOST_OF_A_CALL
    assert note.startswith(f"{100_000_000 - MOST_OF_A_CALL:,} bytes more (CRC-32 ")
    assert texts[1] == texts[2] != first
    assert sum(map(len, texts.values())) < MOST_IN_ALL + 100 * len(texts)


def test_what_is_kept_is_shown_without_the_marks(capfd):
    printed("says", shown=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert [text for text in err.splitlines() if text.startswith("python")] == [
        f"python {i}" for i in range(3)
    ]
    assert err.isprintable() or "\x00" not in err


def test_what_a_process_left_behind_prints_does_not_hold_us():
    begun = time.monotonic()
    texts = printed("floods_from_behind")
    assert time.monotonic() - begun < 15
    assert texts[0] == ""
    assert texts[1].startswith("y\ny\n")


def test_bytes_of_a_mark_are_no_mark():
    assert printed("prints_half_a_mark") == dict.fromkeys(range(3), "\0" * 40)


def test_an_output_that_was_closed():
    assert printed("closes_its_output") == dict.fromkeys(range(3), "")


def test_an_output_that_does_not_wait():
    texts = printed("does_not_wait")
    assert list(texts) == [0, 1, 2]
    assert {text.strip("y") for text in texts.values()} == {""}


def test_a_thread_that_prints_on_does_not_hold_us():
    assert list(printed("prints_from_a_thread")) == [0, 1, 2]


RUDE = [
    "sys_exit", "recurse", "close_low", "replace_streams", "mute_stdout", "fork_returns",
    "fork_crashes", "endless_thread", "leave_a_child", "read_stdin", "handlers",
]  # fmt: skip


@pytest.mark.parametrize("name", RUDE)
def test_what_a_target_may_do_while_its_output_is_kept(name):
    with start_worker(probe_of(name, module="fake_targets"), entry=FAKE, kept=True) as worker:
        followed = follow(worker)
    assert followed.why_cut_short is None
    assert [call.index for call in followed.seen.calls] == [0, 1, 2]
    assert list(followed.printed) == [0, 1, 2]


# What `--eager` is given


def test_both_outputs_and_both_records_are_compared_at_the_end(monkeypatch):
    given = {}

    def compared(report, compiled, eager, compiled_printed, eager_printed, unknown):
        given.update(compiled_printed=compiled_printed, eager_printed=eager_printed)
        given.update(folders=(compiled, eager), empty=[*compiled.iterdir(), *eager.iterdir()])
        given.update(unknown=unknown)
        return report

    monkeypatch.setattr("dynprobe.observe.compare.compared", compared)
    monkeypatch.setattr(beside, "Sides", partial(Sides, entry=FAKE))
    monkeypatch.setattr(beside, "EAGER", FAKE)
    probe = probe_of("leaves_after_words")
    with beside.observing(replace(probe, options=replace(probe.options, eager=True))) as running:
        running.follow()
        report = running.report()
    texts = {0: "call 0\n", 1: "call 1\n"}
    assert given["compiled_printed"] == given["eager_printed"] == texts
    assert given["unknown"] == report.end.message == "call 1 ended the process with exit code 3"
    assert given["empty"] == []
    assert len(set(given["folders"])) == 2
    assert not any(folder.exists() for folder in given["folders"])


def test_each_side_is_told_where_to_record(monkeypatch):
    started = []

    class Noted(Sides):
        def __enter__(self):
            started.append((self.probe, *(side.probe for side in self.beside)))
            return super().__enter__()

    monkeypatch.setattr(beside, "Sides", partial(Noted, entry=FAKE))
    probe = probe_of("quick")
    asked = replace(probe.options, eager=True, alone=True)
    with beside.observing(replace(probe, options=asked)):
        pass
    with beside.observing(probe):
        pass
    (main, alone, eager), (plain,) = [[p.options.record for p in probes] for probes in started]
    assert (alone, plain) == (None, None)
    assert (Path(main).name, Path(eager).name) == ("dynamo", "eager")
