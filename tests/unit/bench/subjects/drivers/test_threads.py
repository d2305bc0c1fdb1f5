"""Which group a driver's threads belong to, and what they have used."""

import os
import threading
import time

import pytest

from formicary.profiling.model.profile import Method
from formicary_bench.subjects.drivers.threads import ThreadAccounting, group_of

GROUPS = {
    "agents": ("asker-*",),
    "communication": ("Deliverer-*",),
    "runtime": ("C2 CompilerThread*", "Reference Handler"),
}


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("asker-12", "agents"),
        ("Deliverer-0", "communication"),
        ("C2 CompilerThre", "runtime"),
        ("Reference Handl", "runtime"),
        ("Reference", "platform"),
        ("", "platform"),
    ],
)
def test_a_thread_belongs_to_the_group_of_its_name_even_if_that_was_cut(name, group):
    assert group_of(name, GROUPS) == group


def test_the_first_pattern_that_matches_counts():
    assert group_of("df", {"directory": ("df",), "agents": ("*",)}) == "directory"
    assert group_of("df", {"agents": ("*",), "directory": ("df",)}) == "agents"


def work():
    began = time.thread_time()
    while time.thread_time() - began < 0.1:
        pass


async def test_what_threads_use_is_accounted_for_also_if_they_have_ended():
    async with ThreadAccounting(os.getpid(), {"agents": ("*",)}) as accounting:
        work()
        other = threading.Thread(target=work)
        other.start()
        other.join()
    found = accounting.profile()
    (process,) = (one for one in found.processes if one.pid == os.getpid())
    used = {group: sum(one.cpu_s for one in process.accounts if one.group == group) for group in GROUPS}
    assert found.method == Method.THREADS
    assert used["agents"] >= 0.1
    assert used["runtime"] >= 0.05
