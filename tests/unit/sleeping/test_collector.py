"""The garbage collector's pace while many agents wake."""

from __future__ import annotations

import gc

import pytest

from formicary.sleeping.collector import Collector


@pytest.fixture(autouse=True)
def usual():
    """Set a pace, and that of before at the end."""
    before = gc.get_threshold()
    gc.set_threshold(600, 7, 8)
    yield
    gc.set_threshold(*before)


def test_it_looks_less_often_until_all_have_restored_it():
    collector = Collector()
    collector.slow_down()
    collector.slow_down()
    assert gc.get_threshold() == (5000, 7, 8)
    collector.restore()
    assert gc.get_threshold() == (5000, 7, 8)
    collector.restore()
    assert gc.get_threshold() == (600, 7, 8)


@pytest.mark.parametrize("first", [0, 5000, 90_000])
def test_where_it_is_off_or_slow_it_stays_so(first):
    gc.set_threshold(first, 7, 8)
    collector = Collector()
    collector.slow_down()
    assert gc.get_threshold() == (first, 7, 8)
    collector.restore()
    assert gc.get_threshold() == (first, 7, 8)


def test_what_somebody_else_has_set_meanwhile_stays():
    collector = Collector()
    collector.slow_down()
    gc.set_threshold(100, 7, 8)
    collector.restore()
    assert gc.get_threshold() == (100, 7, 8)
    collector.slow_down()
    assert gc.get_threshold() == (5000, 7, 8)
    collector.restore()
    assert gc.get_threshold() == (100, 7, 8)
