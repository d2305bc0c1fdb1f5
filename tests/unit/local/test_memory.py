"""How many containers fit."""

from __future__ import annotations

import os

import pytest

from formicary.core.systems import usable_cores
from formicary.errors import UsageError
from formicary.local.memory import EACH, check_count, free_memory


def test_there_is_one_for_each_core_by_default():
    assert check_count(None, free=1 << 60) == usable_cores() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("count", [0, -1, True, 2.0, "4"])
def test_what_is_no_number_of_containers_is_refused(count):
    with pytest.raises(UsageError, match=r"^a local platform must have at least one container, not "):
        check_count(count)


def test_more_than_memory_allows_are_refused_with_how_many_fit():
    assert check_count(10, free=10 * EACH) == 10
    with pytest.raises(
        UsageError,
        match=r"^1000 containers need about 31.2 GiB of memory, and 320 MiB is free: ask for at most 10$",
    ):
        check_count(1000, free=10 * EACH)
    with pytest.raises(UsageError, match=r": free some$"):
        check_count(1, free=EACH - 1)


def test_the_limit_of_a_control_group_counts(tmp_path):
    folder = tmp_path / "sys/fs/cgroup"
    folder.mkdir(parents=True)
    everything = free_memory(tmp_path)
    (folder / "memory.max").write_text("max\n")
    (folder / "memory.current").write_text("70000000\n")
    assert free_memory(tmp_path) > everything // 2
    (folder / "memory.max").write_text("100000000\n")
    assert free_memory(tmp_path) == 30_000_000
    (folder / "memory.max").write_text("10\n")
    assert free_memory(tmp_path) == 0
