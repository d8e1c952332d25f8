"""Functions that misbehave on the call with index 1, and behave on every other."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time


def on_call_one(misbehave):
    def target(index):
        if index == 1:
            misbehave()

    return target


def _slow():
    while True:
        time.sleep(0.01)


def _says_and_hangs():
    # One line: whoever interrupts it may be faster than the print returns.
    _ = print("hanging", flush=True), ctypes.PyDLL(None).sleep(600)


def _pure_loop():
    n = 0
    while True:
        n += 1


def _holds_the_gil():
    ctypes.PyDLL(None).sleep(600)


def _segfault():
    ctypes.string_at(0)


def _out_of_memory():
    os.kill(os.getpid(), signal.SIGKILL)


def _terminated():
    os.kill(os.getpid(), signal.SIGTERM)


def _exit_3():
    os._exit(3)


def _exit_0():
    os._exit(0)


def _abort():
    os.abort()


def _recurse():
    return _recurse()


class Rude(BaseException):
    pass


def _base_exception():
    raise Rude("no Exception")


def _sys_exit():
    sys.exit("enough")


def _close_everything():
    os.closerange(3, 4096)


def _close_low():
    os.closerange(0, 64)


def _replace_streams():
    sys.stdout = sys.stderr = None


def _chdir():
    os.chdir("/")


def _fork_returns():
    if os.fork() != 0:
        os.wait()


def _fork_crashes():
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    os.wait()


def _endless_thread():
    threading.Thread(target=_slow, daemon=False).start()


def _leave_a_child():
    child = subprocess.Popen(["sleep", "600"], close_fds=False)
    print(f"child {child.pid}", flush=True)


def _leave_a_fork():
    child = os.fork()
    if child == 0:
        time.sleep(600)
    print(f"child {child}", flush=True)
    os._exit(5)


def _print_everywhere():
    print("by print")
    os.write(1, b"by os.write\n")
    ctypes.CDLL(None).puts(b"by C")
    subprocess.run(["echo", "by a subprocess"], check=True)


def _read_stdin():
    if sys.stdin.read() != "":
        os._exit(9)


def _handlers():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, lambda *_: None)


def _hang_with_handlers():
    _handlers()
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    _pure_loop()


def _stopped():
    os.kill(os.getpid(), signal.SIGSTOP)


def _mute_stdout():
    sys.stdout.close()
    sys.stderr.close()


for _name, _function in list(globals().items()):
    if _name.startswith("_") and getattr(_function, "__module__", None) == __name__:
        globals()[_name[1:]] = on_call_one(_function)


def fails_late(index):
    pass


def quick(index):
    time.sleep(0.3)
