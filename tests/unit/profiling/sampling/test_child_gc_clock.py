"""The garbage collector's time is counted while the window is open, with the place where it struck."""

from __future__ import annotations

import gc
import mmap
import threading

import pytest

from formicary.profiling.sampling.child import GcClock


@pytest.fixture
def is_open():
    with mmap.mmap(-1, 1) as shared:
        yield shared


def collect():
    gc.collect()


def test_what_a_collection_takes_is_counted_where_it_struck(is_open):
    collections = GcClock(is_open)
    with collections.counted():
        collect()
        is_open[0] = 1
        collect()
        is_open[0] = 0
        collect()
    collect()
    [(tid, frames, seconds)] = collections.spent()
    assert tid == threading.get_native_id()
    assert [frame.function for frame in frames[-2:]] == [
        "test_what_a_collection_takes_is_counted_where_it_struck",
        "collect",
    ]
    assert frames[-1].file == __file__
    assert frames[-1].line == collect.__code__.co_firstlineno
    assert 0 < seconds < 60


def test_nothing_of_it_stays_behind(is_open):
    before = list(gc.callbacks)
    with GcClock(is_open).counted():
        assert len(gc.callbacks) == len(before) + 1
    assert gc.callbacks == before
