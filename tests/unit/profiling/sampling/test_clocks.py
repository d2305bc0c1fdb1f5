"""The clocks of processes and threads, by the operating system."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from formicary.errors import ProfilingError
from formicary.profiling.sampling.clocks import Clocks, tick_s


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def own(clocks):
    clocks.look()
    return next(used for used in clocks.used() if used.pid == os.getpid())


def test_a_window_begins_with_the_clocks():
    burn(0.1)
    clocks = Clocks(os.getpid())
    before = time.process_time()
    burn(0.3)
    used = own(clocks)
    # Each of two readings leaves out anything up to a tick, of both times.
    assert sum(used.times) == pytest.approx(time.process_time() - before, abs=6 * tick_s())
    assert not used.is_gone


def test_a_thread_that_has_ended_keeps_what_was_seen_of_it():
    clocks = Clocks(os.getpid())
    is_seen = threading.Event()
    tids = []

    def work():
        tids.append(threading.get_native_id())
        burn(0.2)
        is_seen.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    while own(clocks).threads.get(tids[0] if tids else 0, (0, 0))[1] < 0.1:
        assert thread.is_alive()
    is_seen.set()
    thread.join()
    assert own(clocks).threads[tids[0]].cpu_s >= 0.1


@pytest.mark.skipif(sys.platform != "linux", reason="nobody counts it elsewhere")
def test_each_time_that_a_thread_waits_is_counted():
    clocks = Clocks(os.getpid())
    may_end, are_there = threading.Event(), threading.Barrier(2)
    turns = [threading.Event() for _ in range(50)]
    tids = []

    def wait():
        tids.append(threading.get_native_id())
        are_there.wait()
        for turn in turns:
            turn.wait(0.01)  # so long that few are over before the thread has begun to wait
        are_there.wait()
        may_end.wait(10)

    thread = threading.Thread(target=wait)
    thread.start()
    are_there.wait()
    are_there.wait()
    switches = own(clocks).threads[tids[0]].switches
    may_end.set()
    thread.join()
    assert switches >= 0.8 * len(turns)


def test_a_process_that_ends_keeps_its_last_figures_and_says_so():
    code = (
        "import sys, time\nsys.stdin.readline()\nend = time.process_time() + 0.3\n"
        "while time.process_time() < end: pass\nprint(1, flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        clocks = Clocks(child.pid)
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.read(1)
        assert clocks.look()
        child.stdin.close()
        child.wait()
        assert not clocks.look()
    [used] = clocks.used()
    assert used.is_gone
    assert sum(used.times) >= 0.3 - 4 * tick_s()  # less than one of each time, at the begin and at the end


def test_children_that_come_later_count_from_their_start():
    clocks = Clocks(os.getpid())
    code = "import sys, time\nwhile time.process_time() < 0.3: pass\nprint(1, flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.read(1)
        clocks.look()
        child.stdin.close()
    used = next(used for used in clocks.used() if used.pid == child.pid)
    assert sum(used.times) >= 0.3 - 2 * tick_s()


def test_a_process_that_is_not_there():
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        pass
    with pytest.raises(ProfilingError, match=f"no process {child.pid}"):
        Clocks(child.pid)
