"""What py-spy writes and says, read."""

from __future__ import annotations

import pytest

from formicary.errors import ProfilingError, TracingError
from formicary.profiling.model.profile import Frame
from formicary.profiling.sampling.sampler import Samples, read_speedscope, why_not

THREAD = {"name": "thread (11): MainThread", "file": "", "line": 0, "col": None}
PROCESS = {"name": 'process 10:"python x.py"', "file": None, "line": None, "col": None}
WORK = {"name": "work", "file": "/home/ada/x.py", "line": 3, "col": None}
NATIVE = {"name": "epoll_wait", "file": "?", "line": 0, "col": None}


def document(*profiles):
    return {"shared": {"frames": [PROCESS, THREAD, WORK, NATIVE]}, "profiles": list(profiles)}


def thread(name, *samples):
    return {"name": name, "samples": list(samples)}


def test_threads_of_the_process_itself():
    [seen] = read_speedscope(document(thread('Thread 11 "MainThread"', [1, 2], [1, 2], [1, 2, 3])), 10)
    assert (seen.pid, seen.tid, seen.name) == (10, 11, "MainThread")
    work = Frame("work", "/home/ada/x.py", 3)
    assert seen.stacks == {(work,): 2, (work, Frame("epoll_wait", "?", 0)): 1}


@pytest.mark.parametrize("name", ['a "quoted"; x', "two\nlines", ""])
def test_threads_of_children_whatever_their_names(name):
    [seen] = read_speedscope(document(thread(f'Process 20 Thread 21 "{name}"', [0, 1, 2])), 10)
    assert (seen.pid, seen.tid, seen.name) == (20, 21, name)


def test_a_thread_without_a_name_and_with_a_hexadecimal_number():
    [seen] = read_speedscope(document(thread("Thread 0x1F", [1, 2])), 10)
    assert (seen.tid, seen.name) == (31, "")


def test_other_names_are_no_threads():
    with pytest.raises(ValueError, match="is not a thread"):
        read_speedscope(document(thread("Fiber 3", [1, 2])), 10)


@pytest.mark.parametrize(
    ("said", "kind", "sentence"),
    [
        ("Permission Denied: Try running again with elevated permissions", TracingError, "not permitted"),
        (
            "Error: Failed to get process executable name.\n 0: Permission denied (os error 13)",
            TracingError,
            "",
        ),
        ("Error: Failed to get process executable name. Check that ...", ProfilingError, "no process 7"),
        ("Error: Failed to find python version from target process", ProfilingError, "7 is not Python"),
        ("Error: No python processes found in process 7 or any", ProfilingError, "7 is not Python"),
        ("Something else\n\nStack backtrace:\n", ProfilingError, "it said: Something else"),
        ("", ProfilingError, "it said: nothing"),
    ],
)
def test_what_py_spy_says_becomes_a_sentence(said, kind, sentence):
    error = why_not(said, 7)
    assert type(error) is kind
    assert sentence in str(error)
    assert "\n" not in str(error)


def test_many_stacks_that_could_not_be_read_are_a_warning():
    [seen] = read_speedscope(document(thread('Thread 11 "MainThread"', *[[1, 2]] * 100)), 10)
    assert Samples([seen], errors=1).warnings() == []
    assert "could not read 9 stacks" in Samples([seen], errors=9).warnings()[0]
