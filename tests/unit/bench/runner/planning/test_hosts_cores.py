"""On how many cores something is measured: not on more than there are."""

import os

import pytest

from formicary.errors import UsageError
from formicary_bench.runner.planning.hosts import cores_of
from formicary_bench.runner.planning.options import Options


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None, raising=False)


def test_it_is_measured_on_one_on_two_and_so_on():
    assert cores_of(Options("compute/speed-up")) == (1, 2, 4)
    assert cores_of(Options("compute/speed-up", sizes={"cores": (3,)})) == (3,)


def test_more_cores_than_there_are_cannot_be_had():
    with pytest.raises(UsageError, match=r"--cores 5 is more than the 4 cores .*; use at most 4$"):
        cores_of(Options("compute/speed-up", sizes={"cores": (1, 5)}))


def test_where_processes_cannot_be_kept_on_cores_they_are_not(monkeypatch):
    monkeypatch.delattr(os, "sched_setaffinity")
    assert cores_of(Options("compute/speed-up")) == (0,)
    with pytest.raises(UsageError, match="--cores requires Linux"):
        cores_of(Options("compute/speed-up", sizes={"cores": (1,)}))
