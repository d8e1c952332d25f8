"""faulthandler's dump → the user's lines."""

from __future__ import annotations

import sysconfig

import pytest

from dynprobe.observe.process import stack as module
from dynprobe.observe.process.stack import shown, stack_of, users_own
from dynprobe.report import Line

STDLIB = sysconfig.get_paths()["stdlib"]
DUMP = f"""Main thread 0x7f01
Fatal Python error: Segmentation fault

Thread 0x7f01 (most recent call first):
  File "/home/me/x.py", line 12 in slow
  File "/v/lib/site-packages/torch/nn/modules/module.py", line 9 in __call__
  File "{module.__file__}", line 3 in observe

Current thread 0x7f02 (most recent call first):
  File "{STDLIB}/ctypes/__init__.py", line 519 in string_at
  File "/home/me/n\\xe4h.py", line 7 in crash
  File "<frozen runpy>", line 88 in _run_code

Extension modules: numpy.core (total: 1)
"""


def test_the_thread_that_dumped_or_the_main_thread() -> None:
    assert stack_of(DUMP)[0].function == "string_at"
    assert stack_of(DUMP, main_thread=True)[0] == Line(
        file="/home/me/x.py", line=12, function="slow"
    )


def test_the_last_dump_counts() -> None:
    later = 'Current thread 0x7f01 [python] (most recent call first):\n  File "b.py", line 2 in g\n'
    assert stack_of(DUMP + later) == (Line(file="b.py", line=2, function="g"),)
    assert stack_of(DUMP + later, main_thread=True) == (Line(file="b.py", line=2, function="g"),)


@pytest.mark.parametrize("text", ["", "Main thread 0x1\n", "Segmentation fault\n", '  File "'])
def test_no_dump_is_no_stack(text: str) -> None:
    assert stack_of(text) == ()


def test_only_the_users_own_lines_are_kept() -> None:
    assert users_own(stack_of(DUMP)) == (Line(file="/home/me/näh.py", line=7, function="crash"),)
    assert [line.line for line in users_own(stack_of(DUMP, main_thread=True))] == [12]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("/home/me/a/x.py", "a/x.py:3 (f)"),
        ("/home/meow/x.py", "/home/meow/x.py:3 (f)"),
        ("/v/lib/python3.11/site-packages/torch/a.py", "torch/a.py:3 (f)"),
        ("x.py", "x.py:3 (f)"),
    ],
)
def test_how_a_line_is_shown(file: str, said: str) -> None:
    assert shown(Line(file=file, line=3, function="f"), "/home/me") == said
