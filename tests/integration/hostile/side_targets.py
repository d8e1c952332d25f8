"""Targets of `fake_entry` for observations side by side. `MEET` is a folder that the sides share;
a side is told which it is by the name of the function it calls."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path


def quick(index):
    pass


def _meet(me, other):
    folder = Path(os.environ["MEET"])
    (folder / me).write_text("here")
    until = time.monotonic() + 20
    while not (folder / other).exists():
        assert time.monotonic() < until, f"{other} is not there"
        time.sleep(0.01)


def meets_b(index):
    _meet("a", "b")


def meets_a(index):
    _meet("b", "a")


def hangs_quietly(index):
    if index == 1:
        (Path(os.environ["MEET"]) / "pid").write_text(str(os.getpid()))
        time.sleep(600)


def aborts(index):
    if index == 1:
        os.abort()


def leaves(index):
    if index == 1:
        os._exit(3)


def leaves_after_words(index):
    print("call", index)
    if index == 1:
        os._exit(3)


def says(index):
    print(f"python {index}")
    print(f"to stderr {index}", file=sys.stderr, flush=True)


def prints_in_every_way(index):
    print(f"python {index}, ", end="")
    sys.stdout.flush()
    ctypes.CDLL(None).printf(b"C %d, ", index)
    ctypes.CDLL(None).fflush(None)
    os.write(1, b"descriptor %d, " % index)
    subprocess.run(["echo", f"child {index}, "], check=True)
    ctypes.CDLL(None).printf(b"not flushed %d", index)


def chats(index):
    for line in range(20):
        print(f"call {index} line {line}")


def floods(index):
    line = b"x" * 99 + b"\n"
    for _ in range(100 if index else 1000):
        os.write(1, line * 1000)


def floods_from_behind(index):
    """A process that it leaves behind prints on and on."""
    if index == 1:
        subprocess.Popen(["yes"])
        os._exit(3)


def prints_half_a_mark(index):
    os.write(1, b"\x00" * 40)


def closes_its_output(index):
    if index == 1:
        os.close(1)
        print("nobody hears this")


def does_not_wait(index):
    os.set_blocking(1, False)
    for _ in range(50):
        try:
            os.write(1, b"y" * 4096)
        except BlockingIOError:
            time.sleep(0.01)


def prints_from_a_thread(index):
    if index == 0:
        threading.Thread(target=_drip, daemon=True).start()


def _drip():
    while True:
        os.write(1, b".")
        time.sleep(0.001)
