"""Whatever the clocks and samples, the figures of each view sum to the processes' CPU time."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import formicary
from formicary.profiling.analysis.attribution import View, cpu_times
from formicary.profiling.model.profile import Collection, Frame, Method, Process, Profile, Role, Stack, Thread

HOME = formicary.__path__[0]
FRAMES = (
    Frame("Trader.run", "/home/ada/market.py", 3),
    Frame("Link.send", f"{HOME}/transport/link/link.py", 9),
    Frame("Cell.handle", "/home/ada/market.py", 20),
    Frame("epoll_wait", "?"),
)
seconds = st.floats(0, 1000)
tids = st.integers(1, 4)
paths = st.lists(st.integers(0, len(FRAMES) - 1), max_size=4).map(tuple)
threads = st.dictionaries(tids, seconds).map(
    lambda clocks: tuple(Thread(tid, f"t{tid}", "python", cpu) for tid, cpu in clocks.items())
)
processes = st.builds(
    Process,
    pid=st.integers(1, 9),
    role=st.sampled_from(Role),
    name=st.sampled_from(["python", "prosody", "bash"]),
    user_s=seconds,
    system_s=seconds,
    threads=threads,
    stacks=st.lists(st.builds(Stack, tids, paths, st.integers(1, 1000)), max_size=6).map(tuple),
    collections=st.lists(st.builds(Collection, tids, paths, seconds), max_size=2).map(tuple),
)


@example(  # the sum of the threads' clocks is so small that nothing can be divided by it
    [
        Process(
            1, Role.CONTAINER, "python", 0.0, 1.0, (Thread(1, "t1", "python", 2.225073858507e-311),), (), ()
        )
    ],
    View.GROUP,
)
@given(st.lists(processes, max_size=3), st.sampled_from([View.GROUP, View.FUNCTION]))
def test_a_view_sums_to_the_clocks(found, view):
    profile = Profile(
        method=Method.SAMPLED,
        host="h",
        began=0.0,
        window_s=1.0,
        rate_hz=100.0,
        processes=tuple(found),
        frames=FRAMES,
    )
    shown = cpu_times(profile, view)
    assert sum(used.cpu_s for used in shown) == pytest.approx(sum(process.cpu_s for process in found))
    assert all(used.cpu_s >= 0 and used.margin_s >= 0 for used in shown)
    assert all(-1e-9 <= used.share <= 1 + 1e-9 for used in shown)
